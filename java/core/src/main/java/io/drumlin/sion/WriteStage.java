package io.drumlin.sion;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.SlabMemory;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.Writeback;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Collects the bytes of a task and writes them in slabs: while some are on their way, the next one is filled. In direct
 * files a slab that ends within a block is filled up with zeros, which lie in the unused rest of the chunk. Memory is taken
 * when it is first needed. Not thread-safe.
 */
final class WriteStage {

    /** Most that is reserved ahead. */
    private static final long AHEAD = 512L << 20;

    private final SlabMemory memory;
    private final TaskFile target;
    private final TaskBlocks blocks;
    private final int slabBytes;

    /** Slabs that may be filled or on their way. */
    private final int slabs;

    private @Nullable ByteBuffer filling;

    /** Slabs that are being written, the oldest first, and those that were. */
    private final Deque<Leaving> leaving = new ArrayDeque<>();

    private final Deque<ByteBuffer> free = new ArrayDeque<>();

    /** Where the slab begins in the file, how much is in it, and how much of that is written. */
    private long base;

    private int fill;
    private int written;

    /** Bytes that were sent, and the end of what is reserved. */
    private long sent;

    private long reserved;

    /** A slab on its way to the file. */
    private record Leaving(ByteBuffer slab, long offset, PendingWrite write) {}

    private @Nullable Writeback writeback;

    /** Whether there was space for more than what was to be written. */
    private boolean spacious = true;

    /**
     * Makes a stage.
     *
     * @param blocks the chunks that are written
     * @param chunkSize bytes of each of them
     * @param tasks of this process, which share its memory
     */
    WriteStage(StorageEngine storage, TaskFile target, TaskBlocks blocks, long chunkSize, int tasks) {
        this.target = target;
        this.blocks = blocks;
        StreamSlabs share = StreamSlabs.of(chunkSize, tasks);
        slabBytes = share.bytes();
        slabs = share.count();
        memory = new SlabMemory(storage, slabBytes);
    }

    /**
     * Takes bytes that go to an offset: behind those that were taken before, or at the beginning of a chunk.
     *
     * @param source its position moves to its limit
     */
    void put(long offset, ByteBuffer source) throws IOException {
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
                source.position(source.position() + length);
                filled(length);
                position += length;
            }
        }
    }

    /** The free part of the slab, for bytes that go to an offset; what is put there is to be told to {@link #filled}. */
    ByteBuffer slabFor(long offset) throws IOException {
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
    void filled(int bytes) {
        fill += bytes;
    }

    /** Direct memory as large as all the slabs of a task can be needs no staging where nothing is staged before it. */
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

    /** Starts the write of a full slab; waits for the oldest one when there are as many as there may be. */
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
     * Lets direct writes of several tasks go on side by side: those that make the file longer wait for each other. As much
     * again as was written is reserved ahead, so that little space is taken for chunks that do not become full.
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
                // What is written now may fit all the same.
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

    /** Writes what was taken and waits until all is written. The bytes of an incomplete block stay here. */
    void flush() throws IOException {
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

    /** Waits for all writes, also when one has failed. */
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

    /** Gives the memory back; what was taken and not flushed is lost. A write that is under way is waited for. */
    void close() throws IOException {
        try {
            await();
        } finally {
            filling = null;
            free.clear();
            memory.close();
        }
    }
}
