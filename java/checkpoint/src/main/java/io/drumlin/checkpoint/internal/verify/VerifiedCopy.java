package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.io.CoalescingWriter;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.PartialBlocks;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a file that is written while the file is verified. The pieces may come in any order. If the copy cannot be
 * written, the file is still verified, but there is no copy. Not thread-safe.
 */
final class VerifiedCopy implements Closeable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /**
     * Slabs that are written while others are filled. With 4, of which each holds half a MiB, a restart took almost twice
     * as long: the device reads at the same time, so a write takes longer than it does alone.
     */
    private static final int SLABS = 24;

    private static final int BLOCK = AlignedBuffer.ALIGNMENT;

    private final Path path;
    private final long size;
    private final SlabPool slabs;
    private final PartialBlocks edges = new PartialBlocks();
    private final DeferredFailure failure = new DeferredFailure();
    private @Nullable BlockFile file;

    /**
     * Opens the copy and reserves its space.
     *
     * @param path the copy, replaced if it exists
     * @param size final size in bytes
     * @param slabBytes bytes of the slabs through which it is written
     */
    VerifiedCopy(StorageEngine storage, Path path, long size, int slabBytes) {
        this.path = path;
        this.size = size;
        slabs = new SlabPool(storage, SLABS, slabBytes);
        failure.attempt(() -> {
            BlockFile opened =
                    storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT));
            file = opened;
            opened.allocate(size);
        });
    }

    /** Writes the remaining bytes of {@code piece}, which may change after the call. */
    void write(long offset, ByteBuffer piece) {
        failure.attempt(() -> {
            ByteBuffer rest = piece.duplicate();
            long start = offset;
            while (rest.hasRemaining()) {
                start += writeSlab(start, rest);
            }
        });
    }

    /**
     * Starts to write as much as fits into a slab, and returns the number of bytes. Partly filled blocks are written at
     * the end.
     */
    private int writeSlab(long offset, ByteBuffer rest) throws IOException {
        int lead = (int) (offset % BLOCK);
        SlabPool.Slab slab = slabs.take();
        ByteBuffer memory = slab.buffer();
        int length = Math.min(memory.capacity() - lead, rest.remaining());
        ByteBuffer bytes = rest.slice(rest.position(), length);
        rest.position(rest.position() + length);
        int first = (int) PartialBlocks.roundUp(lead, BLOCK);
        int end = (lead + length) / BLOCK * BLOCK;
        if (first >= end) {
            edges.put(offset, bytes);
            return length;
        }
        edges.put(offset, bytes.slice(0, first - lead));
        edges.put(offset - lead + end, bytes.slice(end - lead, lead + length - end));
        memory.position(lead).put(bytes);
        slab.write(opened(), memory.limit(end).position(first), offset - lead + first);
        return length;
    }

    private BlockFile opened() {
        BlockFile open = file;
        if (open == null) {
            throw new IllegalStateException("the file could not be opened");
        }
        return open;
    }

    /**
     * Makes the content durable.
     *
     * @return the identity of the copy, if it is whole
     */
    Optional<FileIdentity> finish() {
        failure.attempt(() -> {
            edges.write(new CoalescingWriter(opened(), slabs));
            slabs.drain();
            // Direct writes end on a block boundary; the file may not.
            opened().truncate(size);
            opened().sync();
        });
        try {
            failure.throwIfThere();
            return Optional.of(FileIdentity.of(path));
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "{0} is not copied while it is verified: {1}", path, e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            failure.attempt(slabs::drain);
            if (file != null) {
                file.close();
            }
        } finally {
            slabs.close();
        }
    }
}
