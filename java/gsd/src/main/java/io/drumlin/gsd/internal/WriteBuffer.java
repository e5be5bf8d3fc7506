package io.drumlin.gsd.internal;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.Writeback;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Data of chunks that will be written in one piece. Each rank holds its own rows and knows only the length of the
 * others' rows.
 *
 * <p>Large data are written while more data gather. They stay here until everything is written: if their final location
 * changes or a write fails, all of them are written again. Not thread-safe.
 */
public final class WriteBuffer implements AutoCloseable {

    /** Largest number of bytes to gather, whatever the settings. */
    public static final int LIMIT = 1 << 30;

    private static final int FIRST_SIZE = 1 << 16;

    /**
     * Size of a block of memory. More memory comes in blocks of this size, so that data that are being written need not
     * be copied or waited for.
     */
    private static final int MEMORY_BLOCK = 16 << 20;

    /**
     * Largest number of bytes lost before each piece. A piece has the same position within its block as in the file.
     */
    private static final int PADDING = DirectWrites.BLOCK;

    /** No write of the buffer's data has begun at any location. */
    private static final long NOWHERE = -1;

    private final StorageEngine storage;
    private final DirectWrites direct;
    /**
     * Blocks of memory in a row; positions count through all of them. All but the first have the size of a block. The
     * first has it too if there are others.
     */
    private final List<AlignedBuffer> memory = new ArrayList<>();
    /** Number of bytes of all ranks. */
    private long length;
    /** End of this rank's bytes in memory. */
    private int filled;
    /** The location of the buffer in the file, unless something else is written there first. */
    private long location = NOWHERE;

    /**
     * Pieces that are contiguous in the file. A piece starts here, relative to the beginning of the buffer. In memory
     * it extends from {@link #positions} to {@link #ends}.
     */
    private long[] starts = new long[16];

    private int[] positions = new int[16];
    private int[] ends = new int[16];
    /** The end of the whole blocks of each piece that are written or being written. */
    private int[] begun = new int[16];

    private int pieces;

    WriteBuffer(StorageEngine storage, DirectWrites direct) {
        this.storage = storage;
        this.direct = direct;
        memory.add(storage.allocate(FIRST_SIZE));
    }

    long length() {
        return length;
    }

    /** Sets the location of the empty buffer in the file. */
    void locate(long offset) {
        location = offset;
    }

    /**
     * Adds a chunk, for which there is room.
     *
     * @param data this rank's elements
     * @param bytes size of the elements in bytes
     * @param first offset of the elements in the chunk
     * @param total size of the whole chunk in bytes
     * @param ahead the offset up to which space may be reserved in the file
     */
    void add(Buffer data, int bytes, long first, long total, long ahead) {
        if (bytes > 0) {
            int piece = piece(length + first, bytes);
            int end = ends[piece] + bytes;
            boolean early = location != NOWHERE
                    && end - begun[piece] >= DirectWrites.WINDOW
                    && isReached(piece, end, location, ahead);
            for (int done = 0; done < bytes; ) {
                int part = copy(data, done, Math.min(DirectWrites.WINDOW, bytes - done));
                done += part;
                filled += part;
                ends[piece] = filled;
                if (early) {
                    begin(piece, location, DirectWrites.WINDOW);
                }
            }
        }
        length += total;
    }

    /**
     * Copies the next elements after the existing data, as far as memory is contiguous. Returns the number of bytes
     * copied.
     */
    private int copy(Buffer data, int from, int most) {
        int part = inRow(filled, most);
        if (part < most) {
            part -= part % Elements.WIDEST;
        }
        if (part > 0) {
            Elements.copy(data, from, memory(filled, part));
            return part;
        }
        // These elements cross the end of a block.
        ByteBuffer elements =
                ByteBuffer.allocate(Math.min(most, Elements.WIDEST)).order(ByteOrder.LITTLE_ENDIAN);
        Elements.copy(data, from, elements);
        for (int i = 0; i < elements.limit(); i++) {
            memory(filled + i, 1).put(elements.get(i));
        }
        return elements.limit();
    }

    /** Returns the piece that continues at {@code start}, which may be a new one. */
    private int piece(long start, int bytes) {
        int last = pieces - 1;
        if (pieces > 0 && starts[last] + (ends[last] - positions[last]) == start) {
            return last;
        }
        if (pieces == starts.length) {
            starts = Arrays.copyOf(starts, 2 * pieces);
            positions = Arrays.copyOf(positions, 2 * pieces);
            ends = Arrays.copyOf(ends, 2 * pieces);
            begun = Arrays.copyOf(begun, 2 * pieces);
        }
        if (location != NOWHERE && (pieces == 0 || bytes >= DirectWrites.LEAST)) {
            filled += Math.floorMod(location + start - filled, DirectWrites.BLOCK);
        }
        starts[pieces] = start;
        positions[pieces] = filled;
        ends[pieces] = filled;
        begun[pieces] = (int) DirectWrites.roundUp(filled);
        return pieces++;
    }

    /**
     * Makes room for bytes of this rank.
     *
     * @param alone whether the existing data will have been written before these bytes come
     */
    void reserve(int bytes, boolean alone) {
        long wanted = (alone ? 0L : filled) + PADDING + bytes;
        int first = memory.get(0).buffer().capacity();
        if (wanted > first && first < MEMORY_BLOCK) {
            // Otherwise the second large chunk would have to be copied, and the first one waited for.
            growFirst(bytes >= DirectWrites.WINDOW ? MEMORY_BLOCK : Math.max(wanted, 2L * first));
        }
        while (wanted > (long) memory.size() * MEMORY_BLOCK) {
            memory.add(storage.allocate(MEMORY_BLOCK));
        }
    }

    private void growFirst(long size) {
        AlignedBuffer grown = storage.allocate((int) Math.min(size, MEMORY_BLOCK));
        AlignedBuffer before = memory.get(0);
        direct.settle(0);
        grown.buffer().put(0, before.buffer().clear(), 0, filled);
        memory.set(0, grown);
        before.close();
    }

    /** Returns the number of contiguous bytes in memory from a position on, at most {@code length}. */
    private static int inRow(int position, int length) {
        return Math.min(length, MEMORY_BLOCK - position % MEMORY_BLOCK);
    }

    /** Returns the memory of contiguous bytes, from its position to its limit. */
    private ByteBuffer memory(int position, int length) {
        int from = position % MEMORY_BLOCK;
        return memory.get(position / MEMORY_BLOCK).buffer().limit(from + length).position(from);
    }

    /**
     * Writes this rank's data that are not written yet; the buffer does not change. The data are not durable, and do
     * not count if another rank fails.
     */
    void writeTo(BlockFile file, long offset) throws IOException {
        if (offset != location) {
            forget();
        }
        for (int piece = 0; piece < pieces; piece++) {
            if (isReached(piece, ends[piece], offset, 0)) {
                begin(piece, offset, 1);
            }
        }
        try {
            direct.await();
        } catch (IOException e) {
            // There are no more direct writes then. Writing everything through the page cache will report the error.
            forget();
        }
        Writeback writeback = new Writeback(file);
        for (int piece = 0; piece < pieces; piece++) {
            long base = base(piece, offset);
            int whole = (int) DirectWrites.roundUp(positions[piece]);
            if (begun[piece] > whole) {
                write(file, positions[piece], whole, base, writeback);
                write(file, begun[piece], ends[piece], base, writeback);
            } else {
                write(file, positions[piece], ends[piece], base, writeback);
            }
        }
    }

    /** Returns the file offset that corresponds to the beginning of the memory. */
    private long base(int piece, long offset) {
        return offset + starts[piece] - positions[piece];
    }

    /** Returns whether the remaining whole blocks of a piece can be written past the page cache. */
    private boolean isReached(int piece, int end, long offset, long ahead) {
        long base = base(piece, offset);
        int from = begun[piece];
        return base % DirectWrites.BLOCK == 0
                && DirectWrites.isWorth(positions[piece], end)
                && DirectWrites.roundDown(end) > from
                && direct.reach(base + from, base + end, ahead);
    }

    /** Starts to write the whole blocks in memory, in windows. Leaves a remainder of less than {@code least} bytes. */
    private void begin(int piece, long offset, int least) {
        int end = (int) DirectWrites.roundDown(ends[piece]);
        while (end - begun[piece] >= least) {
            int part = inRow(begun[piece], Math.min(DirectWrites.WINDOW, end - begun[piece]));
            direct.start(memory(begun[piece], part).slice(), base(piece, offset) + begun[piece]);
            begun[piece] += part;
        }
    }

    private void write(BlockFile file, int from, int end, long base, Writeback writeback) throws IOException {
        int at = from;
        while (at < end) {
            int part = inRow(at, Math.min(Writeback.window(), end - at));
            file.write(memory(at, part), base + at);
            writeback.written(base + at, part);
            at += part;
        }
    }

    /** Marks everything as unwritten, and waits until no write is under way. */
    void forget() {
        direct.forget();
        location = NOWHERE;
        for (int piece = 0; piece < pieces; piece++) {
            begun[piece] = (int) DirectWrites.roundUp(positions[piece]);
        }
    }

    void clear() {
        direct.settle(0);
        location = NOWHERE;
        length = 0;
        filled = 0;
        pieces = 0;
    }

    @Override
    public void close() {
        direct.forget();
        memory.forEach(AlignedBuffer::close);
    }
}
