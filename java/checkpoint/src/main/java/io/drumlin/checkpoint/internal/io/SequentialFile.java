package io.drumlin.checkpoint.internal.io;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a file from its beginning to its end through slabs. Not thread-safe. */
public final class SequentialFile implements Closeable {

    private final BlockFile file;
    private final SlabPool slabs;
    private SlabPool.@Nullable Slab slab;

    /** Bytes of the slab that have been handed out. */
    private int used;

    private long written;

    /**
     * Opens the file and reserves its space.
     *
     * @param path the file, replaced if it exists
     * @param size final size in bytes
     * @throws IOException the file cannot be created or there is not enough space
     */
    public SequentialFile(StorageEngine storage, SlabPool slabs, Path path, long size) throws IOException {
        this.slabs = slabs;
        file = storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT));
        try {
            file.allocate(size);
        } catch (Throwable e) {
            Closeables.closeAfter(e, List.of(file));
            throw e;
        }
    }

    /**
     * Returns memory for the next bytes of the file, from position to limit. The caller fills it and calls
     * {@link #filled} before the next call.
     *
     * @param wanted bytes, above 0
     * @return {@code wanted} bytes or fewer, at least 1; exactly {@code wanted} as long as calls ask for whole slabs or
     *     at most the rest of a slab
     */
    public ByteBuffer space(int wanted) throws IOException {
        SlabPool.Slab current = slab;
        if (current == null || used == slabs.slabBytes()) {
            flush();
            current = slabs.take();
            slab = current;
            used = 0;
        }
        int start = used;
        used = Math.min(start + wanted, slabs.slabBytes());
        return current.view(start, used - start);
    }

    /** Appends the remaining bytes of {@code source}. */
    public void append(ByteBuffer source) throws IOException {
        ByteBuffer rest = source.duplicate();
        while (rest.hasRemaining()) {
            ByteBuffer space = space(rest.remaining());
            int length = space.remaining();
            space.put(rest.slice(rest.position(), length));
            rest.position(rest.position() + length);
        }
        filled();
    }

    /** Says that the space handed out last is filled. */
    public void filled() throws IOException {
        if (used == slabs.slabBytes()) {
            // Not later, because the pool hands out a slab again that is not busy, even if it is full.
            flush();
        }
    }

    /**
     * Starts to write the content of the slab, which the pool may then hand out again. Unless the slab was full, only
     * {@link #finish} may follow.
     */
    public void flush() throws IOException {
        SlabPool.Slab full = slab;
        slab = null;
        if (full == null) {
            return;
        }
        int blocks = (int) PartialBlocks.roundUp(used, PartialBlocks.BLOCK);
        ByteBuffer memory = full.buffer().limit(blocks);
        for (int i = used; i < blocks; i++) {
            memory.put(i, (byte) 0);
        }
        full.write(file, memory, written);
        written += used;
    }

    /** Writes the rest and makes the content durable. */
    public void finish() throws IOException {
        flush();
        slabs.drain();
        file.truncate(written);
        file.sync();
    }

    @Override
    public void close() throws IOException {
        try {
            slabs.drain();
        } finally {
            file.close();
        }
    }
}
