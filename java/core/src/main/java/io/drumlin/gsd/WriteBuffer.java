package io.drumlin.gsd;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.Writeback;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Data of chunks that will be written in one piece. Each rank holds its own rows; what it knows of those of the others is their
 * length. Not thread-safe.
 */
final class WriteBuffer implements AutoCloseable {

    /** More than this is not gathered, whatever the settings. */
    static final int LIMIT = 1 << 30;

    private static final int FIRST_SIZE = 1 << 16;

    private final StorageEngine storage;
    private AlignedBuffer memory;
    /** Bytes of all ranks. */
    private long length;
    /** Bytes of this rank. */
    private int filled;

    /** Pieces that are contiguous in the file: where each begins there, from the buffer's begin, and in memory. */
    private long[] starts = new long[16];

    private int[] positions = new int[16];
    private int pieces;

    WriteBuffer(StorageEngine storage) {
        this.storage = storage;
        this.memory = storage.allocate(FIRST_SIZE);
    }

    long length() {
        return length;
    }

    /**
     * Adds a chunk, for which there is room.
     *
     * @param data this rank's elements
     * @param bytes how many bytes they are
     * @param first where they begin in the chunk
     * @param total bytes of the chunk
     */
    void add(Buffer data, int bytes, long first, long total) {
        if (bytes > 0) {
            addPiece(length + first);
            ByteBuffer target = memory.buffer().limit(filled + bytes).position(filled);
            Elements.copy(data, 0, target);
            filled += bytes;
        }
        length += total;
    }

    private void addPiece(long start) {
        if (pieces > 0 && starts[pieces - 1] + (filled - positions[pieces - 1]) == start) {
            return;
        }
        if (pieces == starts.length) {
            starts = Arrays.copyOf(starts, 2 * pieces);
            positions = Arrays.copyOf(positions, 2 * pieces);
        }
        starts[pieces] = start;
        positions[pieces] = filled;
        pieces++;
    }

    /** Makes room for as many bytes of this rank, behind what is there, or alone if both are beyond the limit. */
    void reserve(int bytes) {
        int capacity = memory.buffer().capacity();
        long wanted = (long) filled + bytes > LIMIT ? bytes : (long) filled + bytes;
        if (wanted <= capacity) {
            return;
        }
        AlignedBuffer larger = storage.allocate((int) Math.min(Math.max(2L * capacity, wanted), LIMIT));
        larger.buffer().put(0, memory.buffer(), 0, filled);
        memory.close();
        memory = larger;
    }

    /** Writes this rank's data; the buffer stays as it is. */
    void writeTo(BlockFile file, long offset) throws IOException {
        Writeback writeback = new Writeback(file);
        for (int piece = 0; piece < pieces; piece++) {
            int end = piece + 1 < pieces ? positions[piece + 1] : filled;
            for (int from = positions[piece]; from < end; from += Writeback.window()) {
                int length = Math.min(Writeback.window(), end - from);
                long target = offset + starts[piece] + from - positions[piece];
                file.write(memory.buffer().limit(from + length).position(from), target);
                writeback.written(target, length);
            }
        }
    }

    void clear() {
        length = 0;
        filled = 0;
        pieces = 0;
    }

    @Override
    public void close() {
        memory.close();
    }
}
