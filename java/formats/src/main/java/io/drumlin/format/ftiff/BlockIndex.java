package io.drumlin.format.ftiff;

import java.util.Arrays;

/** The positions of blocks in the file, and in an area that holds only their records, one block after the other. */
final class BlockIndex {

    /** The largest area that fits into one buffer. It has room for 37 million containers of layout F. */
    static final long AREA_LIMIT = Integer.MAX_VALUE - 64L;

    private long[] offsets = new long[4];
    private int[] starts = new int[4];
    private int size;
    private long areaLength;

    /** Adds a block whose records are at {@code offset} of the file. The caller must have checked {@link #hasRoom}. */
    void add(long offset, long recordsLength) {
        if (size == starts.length) {
            offsets = Arrays.copyOf(offsets, 2 * size);
            starts = Arrays.copyOf(starts, 2 * size);
        }
        offsets[size] = offset;
        starts[size] = Math.toIntExact(areaLength);
        size++;
        areaLength += recordsLength;
    }

    boolean hasRoom(long recordsLength) {
        return recordsLength <= AREA_LIMIT - areaLength;
    }

    int size() {
        return size;
    }

    /** Returns the number of bytes of all records. */
    int areaLength() {
        return Math.toIntExact(areaLength);
    }

    /** Returns the position of a block record in the file. */
    long offset(int block) {
        return offsets[block];
    }

    /** Returns the position of a block record in the area. */
    int start(int block) {
        return starts[block];
    }

    /** Converts a position in the area to one in the file. */
    long offsetOf(int position) {
        int found = Arrays.binarySearch(starts, 0, size, position);
        int block = found >= 0 ? found : -found - 2;
        return offsets[block] + (position - starts[block]);
    }

    /** Returns the position after the records of a block in the area. */
    int end(int block) {
        return block + 1 < size ? starts[block + 1] : areaLength();
    }
}
