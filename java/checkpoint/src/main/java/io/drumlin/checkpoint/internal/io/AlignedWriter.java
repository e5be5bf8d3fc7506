package io.drumlin.checkpoint.internal.io;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file past the page cache, in pieces that may begin and end anywhere and come in any order.
 *
 * <p>Direct writes move whole blocks. The blocks that a piece fills are written at once. Its parts of other blocks are kept
 * in memory and written by {@link #finish}, once for each block. Bytes that nobody gave are zero there. Not thread-safe.
 */
public final class AlignedWriter implements Closeable {

    /** Bytes of a block: the most that direct writes may need, and a page for buffered writes. */
    public static final int BLOCK = AlignedBuffer.ALIGNMENT;

    /** Smaller pieces are written together with their neighbours, if a slab has room for several. */
    private static final int SMALL = 64 << 10;

    private final BlockFile file;
    private final SlabPool slabs;

    /** The blocks of which only parts were given, by offset. */
    private final Map<Long, byte[]> shared = new TreeMap<>();

    /** Adjacent blocks that will be written together, and where. */
    private SlabPool.@Nullable Slab run;

    private ByteBuffer joined = ByteBuffer.allocate(0);
    private long runStart;

    /**
     * Makes a writer.
     *
     * @param file an open file; closed with this
     * @param slabs the memory from which the pieces are written
     */
    public AlignedWriter(BlockFile file, SlabPool slabs) {
        this.file = file;
        this.slabs = slabs;
    }

    /**
     * Opens a file.
     *
     * @param path the file, replaced if it exists
     * @throws IOException the file cannot be created
     */
    public AlignedWriter(StorageEngine storage, SlabPool slabs, Path path) throws IOException {
        this(
                storage.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT)),
                slabs);
    }

    /** Returns the first multiple of {@code alignment} that is not below {@code value}. */
    public static long roundUp(long value, int alignment) {
        return (value + alignment - 1) / alignment * alignment;
    }

    /** Returns how many bytes precede an offset in its block. */
    public static int lead(long offset) {
        return (int) (offset % BLOCK);
    }

    public BlockFile file() {
        return file;
    }

    /** Writes the remaining bytes of {@code bytes}, which may change after the call, through slabs. */
    public void write(long offset, ByteBuffer bytes) throws IOException {
        long at = offset;
        for (int from = bytes.position(); from < bytes.limit(); ) {
            SlabPool.Slab slab = slabs.take();
            int length = Math.min(slabs.slabBytes() - lead(at), bytes.limit() - from);
            slab.buffer().put(lead(at), bytes, from, length);
            start(slab, at, length);
            from += length;
            at += length;
        }
    }

    /**
     * Starts to write a piece. The slab is not handed out again before the write has ended.
     *
     * @param slab has the piece behind as many bytes as precede it in its block
     */
    public void start(SlabPool.Slab slab, long offset, int length) throws IOException {
        ByteBuffer blocks = blocks(slab.buffer(), offset, length, offset + length);
        if (blocks.hasRemaining()) {
            slab.write(file, blocks, offset - lead(offset) + blocks.position());
        }
    }

    /**
     * Starts to write a piece like {@link #start}, a small one with its neighbours. {@link #flush} must follow before the
     * pool has handed out all slabs once.
     *
     * @param roomEnd end of the space behind the piece that nobody uses, which is filled with zeros where it completes a
     *     block
     */
    public void join(SlabPool.Slab slab, long offset, int length, long roomEnd) throws IOException {
        ByteBuffer blocks = blocks(slab.buffer(), offset, length, roomEnd);
        long start = offset - lead(offset) + blocks.position();
        if (blocks.remaining() > Math.min(SMALL, slabs.slabBytes() / 2)) {
            slab.write(file, blocks, start);
        } else if (blocks.hasRemaining()) {
            add(start, blocks);
        }
    }

    /** Keeps the parts of shared blocks, and returns the other blocks from position to limit of the memory. */
    private ByteBuffer blocks(ByteBuffer memory, long offset, int length, long roomEnd) {
        int lead = lead(offset);
        int end = lead + length;
        int from = (int) roundUp(lead, BLOCK);
        int to = end - end % BLOCK;
        if (from > to) {
            keep(offset, memory.limit(end).position(lead));
            return memory.position(end);
        }
        keep(offset, memory.limit(from).position(lead));
        memory.clear();
        if (to < end && offset - lead + to + BLOCK <= roomEnd) {
            to += BLOCK;
            for (int i = end; i < to; i++) {
                memory.put(i, (byte) 0);
            }
        } else {
            keep(offset - lead + to, memory.limit(end).position(to));
        }
        return memory.limit(to).position(from);
    }

    /** Keeps the remaining bytes of {@code data}, which belong at {@code offset}, for {@link #finish}. */
    public void keep(long offset, ByteBuffer data) {
        long at = offset;
        for (int from = data.position(); from < data.limit(); ) {
            int length = Math.min(BLOCK - lead(at), data.limit() - from);
            byte[] block = shared.computeIfAbsent(at - lead(at), start -> new byte[BLOCK]);
            data.get(from, block, lead(at), length);
            from += length;
            at += length;
        }
    }

    /** Returns kept bytes of one block, in memory outside the heap. */
    public ByteBuffer kept(long from, long to) {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) (to - from));
        byte[] block = shared.get(from - lead(from));
        return block == null ? bytes : bytes.put(0, block, lead(from), bytes.capacity());
    }

    /** Adds whole blocks, at most one slab, to those before them, or else starts to write those. */
    private void add(long offset, ByteBuffer blocks) throws IOException {
        boolean follows = run != null && runStart + joined.position() == offset;
        if (!follows || joined.remaining() < blocks.remaining()) {
            flush();
            run = slabs.take();
            joined = run.buffer();
            runStart = offset;
        }
        joined.put(blocks);
    }

    /** Starts to write the small pieces. */
    public void flush() throws IOException {
        if (run != null) {
            run.write(file, joined.flip(), runStart);
            run = null;
        }
    }

    /** Waits until everything but the kept bytes is written. */
    public void await() throws IOException {
        slabs.drain();
    }

    /** Writes the rest, cuts the file to its size, because direct writes end with a block, and makes it durable. */
    public void finish(long size) throws IOException {
        for (Map.Entry<Long, byte[]> block : shared.entrySet()) {
            add(block.getKey(), ByteBuffer.wrap(block.getValue()));
        }
        flush();
        await();
        file.truncate(size);
        file.sync();
    }

    @Override
    public void close() throws IOException {
        try {
            await();
        } finally {
            file.close();
        }
    }
}
