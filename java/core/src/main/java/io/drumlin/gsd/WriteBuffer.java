package io.drumlin.gsd;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.Writeback;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Data of chunks that will be written in one piece. Each rank holds its own rows; what it knows of those of the others is their
 * length.
 *
 * <p>What is large is on its way to the file while more is gathered. It stays here until all is written: where the data are to
 * be elsewhere in the end, or a write fails, all of it is written again. Not thread-safe.
 */
final class WriteBuffer implements AutoCloseable {

    /** More than this is not gathered, whatever the settings. */
    static final int LIMIT = 1 << 30;

    private static final int FIRST_SIZE = 1 << 16;

    /** Of memory. More comes in blocks of this size, so that nothing on its way has to be copied or waited for. */
    private static final int MEMORY_BLOCK = 16 << 20;

    /** Space that is lost before each piece at most: it lies in its block as it does in the file. */
    private static final int PADDING = DirectWrites.BLOCK;

    /** What is in the buffer was not begun to be written anywhere. */
    private static final long NOWHERE = -1;

    private final StorageEngine storage;
    private final DirectWrites direct;
    /** In a row, positions count through them; all but the first have the size of a block, and it too if there are more. */
    private final List<AlignedBuffer> memory = new ArrayList<>();
    /** Bytes of all ranks. */
    private long length;
    /** End of this rank's bytes in memory. */
    private int filled;
    /** Where the buffer will be in the file if nothing comes between. */
    private long location = NOWHERE;

    /** Pieces that are contiguous in the file: where each begins there, from the buffer's begin, and in memory, and where it ends. */
    private long[] starts = new long[16];

    private int[] positions = new int[16];
    private int[] ends = new int[16];
    /** Up to where the whole blocks of each piece are written or on their way. */
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

    /** Says where the buffer will be in the file, while it is empty. */
    void locate(long offset) {
        location = offset;
    }

    /**
     * Adds a chunk, for which there is room.
     *
     * @param data this rank's elements
     * @param bytes how many bytes they are
     * @param first where they begin in the chunk
     * @param total bytes of the chunk
     * @param ahead how far space may be reserved in the file: an offset
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

    /** Copies the next elements behind what is there, as far as there is memory in a row; tells how many bytes they are. */
    private int copy(Buffer data, int from, int most) {
        int part = inRow(filled, most);
        if (part < most) {
            part -= part % Elements.WIDEST;
        }
        if (part > 0) {
            Elements.copy(data, from, memory(filled, part));
            return part;
        }
        // These lie on both sides of a block's end.
        ByteBuffer elements =
                ByteBuffer.allocate(Math.min(most, Elements.WIDEST)).order(ByteOrder.LITTLE_ENDIAN);
        Elements.copy(data, from, elements);
        for (int i = 0; i < elements.limit(); i++) {
            memory(filled + i, 1).put(elements.get(i));
        }
        return elements.limit();
    }

    /** The piece that goes on at {@code start}, maybe a new one. */
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
     * Makes room for as many bytes of this rank.
     *
     * @param alone whether what is there will have been written before they come
     */
    void reserve(int bytes, boolean alone) {
        long wanted = (alone ? 0L : filled) + PADDING + bytes;
        int first = memory.get(0).buffer().capacity();
        if (wanted > first && first < MEMORY_BLOCK) {
            // The second large chunk would be copied else, and the first one waited for.
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

    /** Bytes from a position on that are in a row in memory, at most {@code length}. */
    private static int inRow(int position, int length) {
        return Math.min(length, MEMORY_BLOCK - position % MEMORY_BLOCK);
    }

    /** The memory of bytes that are in a row, from its position to its limit. */
    private ByteBuffer memory(int position, int length) {
        int from = position % MEMORY_BLOCK;
        return memory.get(position / MEMORY_BLOCK).buffer().limit(from + length).position(from);
    }

    /** Writes this rank's data, as far as they are not written; the buffer stays as it is. Not durable, and not to be relied on if another rank fails. */
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
            // No more direct writes then: who writes all of it through the page cache is told what is wrong.
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

    /** Where the begin of the memory would be in the file. */
    private long base(int piece, long offset) {
        return offset + starts[piece] - positions[piece];
    }

    /** Whether the whole blocks of a piece that are left can be written past the page cache. */
    private boolean isReached(int piece, int end, long offset, long ahead) {
        long base = base(piece, offset);
        int from = begun[piece];
        return base % DirectWrites.BLOCK == 0
                && DirectWrites.isWorth(positions[piece], end)
                && DirectWrites.roundDown(end) > from
                && direct.reach(base + from, base + end, ahead);
    }

    /** Begins to write the whole blocks that are in memory, in windows; leaves what is less than {@code least} bytes. */
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

    /** Lets nothing count as written, and waits until nothing is on its way. */
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
