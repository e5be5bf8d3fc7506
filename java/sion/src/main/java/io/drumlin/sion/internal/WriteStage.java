package io.drumlin.sion.internal;

import io.drumlin.internal.MemoryFault;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.SlabMemory;
import io.drumlin.storage.internal.files.Writeback;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Collects the bytes of a task and writes them in slabs. While some slabs are on their way, the next one is filled. In
 * a direct file, a slab that ends within a block is padded with zeros, which lie in the unused rest of the chunk.
 * Memory is allocated when it is first needed. Not thread-safe.
 */
public final class WriteStage {

    /** Largest number of bytes to reserve ahead. */
    private static final long AHEAD = 512L << 20;

    private final SlabMemory memory;
    private final TaskFile target;
    private final TaskBlocks blocks;
    private final int slabBytes;

    /** Number of slabs that may be filled or on their way. */
    private final int slabs;

    private @Nullable ByteBuffer filling;

    /** Slabs that are being written, the oldest first. {@link #free} holds the slabs that can be used again. */
    private final Deque<Leaving> leaving = new ArrayDeque<>();

    private final Deque<ByteBuffer> free = new ArrayDeque<>();

    /** Offset of the slab in the file. {@link #fill} bytes are in it, and {@link #written} of them are written. */
    private long base;

    private int fill;
    private int written;

    /** Number of bytes sent. Space is reserved up to {@link #reserved}. */
    private long sent;

    private long reserved;

    /** A slab on its way to the file. */
    private record Leaving(ByteBuffer slab, long offset, PendingWrite write) {}

    private @Nullable Writeback writeback;

    /** Whether all reservations ahead have succeeded so far. */
    private boolean spacious = true;

    /**
     * Makes a stage.
     *
     * @param blocks the chunks to be written
     * @param chunkSize size of each chunk in bytes
     * @param tasks number of tasks of this process, which share its memory
     */
    public WriteStage(StorageEngine storage, TaskFile target, TaskBlocks blocks, long chunkSize, int tasks) {
        this.target = target;
        this.blocks = blocks;
        StreamSlabs share = StreamSlabs.of(chunkSize, tasks);
        slabBytes = share.bytes();
        slabs = share.count();
        memory = new SlabMemory(storage, slabBytes);
    }

    /**
     * Accepts bytes for an offset, which is either right after the earlier bytes or the beginning of a chunk.
     *
     * @param source its position moves to its limit
     */
    public void put(long offset, ByteBuffer source) throws IOException {
        BlockFile file = target.open();
        long position = offset;
        while (source.hasRemaining()) {
            if (writesStraight(position, source, file.alignment())) {
                ByteBuffer whole =
                        source.slice(source.position(), source.remaining() - source.remaining() % file.alignment());
                flush();
                reserve(file, position, whole.capacity());
                file.write(whole, position);
                written(position, whole.capacity());
                moveTo(position + whole.capacity());
                source.position(source.position() + whole.capacity());
                position += whole.capacity();
            } else {
                ByteBuffer slab = slabFor(position);
                int length = Math.min(slab.remaining(), source.remaining());
                slab.put(source.slice(source.position(), length));
                MemoryFault.throwPending(source);
                source.position(source.position() + length);
                filled(length);
                position += length;
            }
        }
    }

    /**
     * Returns the free part of the slab, for bytes that go to an offset. The caller must report to {@link #filled} how
     * many it puts there.
     */
    public ByteBuffer slabFor(long offset) throws IOException {
        if (offset != base + fill) {
            flush();
            moveTo(offset);
        }
        if (fill == slabBytes) {
            send();
        }
        ByteBuffer slab = filling;
        if (slab == null) {
            slab = free.isEmpty() ? memory.take() : free.remove();
            filling = slab;
        }
        return slab.clear().position(fill);
    }

    /** Counts bytes that were put into the slab. */
    public void filled(int bytes) {
        fill += bytes;
    }

    /**
     * Returns whether bytes can skip the slabs. They can if they are in direct memory, are as many as all slabs of a
     * task can hold, and no staged bytes precede them.
     */
    private boolean writesStraight(long position, ByteBuffer source, int alignment) {
        boolean nothingStaged = position != base + fill || fill == written;
        return source.isDirect()
                && source.remaining() >= (long) StreamSlabs.MOST * slabBytes
                && nothingStaged
                && position % alignment == 0
                && (alignment == 1 || source.alignmentOffset(source.position(), alignment) == 0);
    }

    private void moveTo(long offset) {
        base = offset;
        fill = 0;
        written = 0;
    }

    /** Starts the write of a full slab. If the limit of writes under way is reached, waits for the oldest. */
    private void send() throws IOException {
        ByteBuffer full = filling;
        if (full == null) {
            return;
        }
        BlockFile file = target.open();
        reserve(file, base, slabBytes);
        PendingWrite write = file.startWrite(full.clear(), base);
        leaving.add(new Leaving(full, base, write));
        filling = null;
        moveTo(base + slabBytes);
        if (leaving.size() == slabs) {
            awaitOldest();
        }
    }

    /**
     * Reserves space so that direct writes of several tasks can proceed side by side, because writes that extend the
     * file wait for each other. It reserves only as much again as was written, so that chunks that stay partly empty
     * waste little space.
     */
    private void reserve(BlockFile file, long offset, long length) throws IOException {
        sent += length;
        if (file.direct() && slabBytes == StreamSlabs.MOST_BYTES && offset + length > reserved) {
            long ahead = spacious ? Math.max(length, Math.min(sent, AHEAD)) : length;
            long end = Math.max(offset + length, Math.min(offset + ahead, blocks.end(offset)));
            try {
                file.reserve(offset, end - offset);
                reserved = end;
            } catch (IOException e) {
                // The current data may fit all the same.
                spacious = false;
                file.reserve(offset, length);
                reserved = offset + length;
            }
        }
    }

    private void awaitOldest() throws IOException {
        Leaving oldest = leaving.remove();
        free.add(oldest.slab);
        oldest.write.await();
        written(oldest.offset, slabBytes);
    }

    private void written(long offset, long length) throws IOException {
        if (writeback == null) {
            writeback = new Writeback(target.open());
        }
        writeback.written(offset, length);
    }

    /** Writes the accepted bytes and waits until all are written. The bytes of an incomplete block stay here. */
    public void flush() throws IOException {
        await();
        ByteBuffer slab = filling;
        if (slab == null || fill == written) {
            return;
        }
        BlockFile file = target.open();
        int alignment = file.alignment();
        int padded = (fill + alignment - 1) / alignment * alignment;
        ByteBuffer bytes = slab.clear();
        bytes.put(fill, new byte[padded - fill]);
        file.write(bytes.clear().limit(padded), base);
        int whole = fill - fill % alignment;
        bytes.clear().position(whole).limit(fill);
        bytes.compact();
        base += whole;
        fill -= whole;
        written = fill;
    }

    /** Waits for all writes, even when one has failed. */
    private void await() throws IOException {
        IOException failure = null;
        while (!leaving.isEmpty()) {
            try {
                awaitOldest();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Releases the memory. Bytes that were accepted and not flushed are lost. Waits for a write that is under way. */
    public void close() throws IOException {
        try {
            await();
        } finally {
            filling = null;
            free.clear();
            memory.close();
        }
    }
}
