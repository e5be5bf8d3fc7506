package io.drumlin.gsd.internal;

import io.drumlin.format.gsd.internal.IndexEntry;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Index entries that are not in the file yet. Each takes four words, in the form of the file. Not thread-safe. */
final class PendingIndex {

    private static final int WORDS = IndexEntry.BYTES / Long.BYTES;
    private static final int LOCATION = 2;
    private static final int KIND = 3;

    private long[] words = new long[64 * WORDS];
    private int size;

    int size() {
        return size;
    }

    void add(long frame, long rows, long location, long columns, int id, int type) {
        if ((size + 1) * WORDS > words.length) {
            words = Arrays.copyOf(words, Math.multiplyExact(words.length, 2));
        }
        int at = size * WORDS;
        words[at] = frame;
        words[at + 1] = rows;
        words[at + LOCATION] = location;
        words[at + KIND] = columns | (long) id << 32 | (long) type << 48;
        size++;
    }

    /** Moves all entries of another index to this one, and adds {@code offset} to their locations. */
    void moveAll(PendingIndex other, long offset) {
        if (size == 0) {
            long[] free = words;
            words = other.words;
            size = other.size;
            other.words = free;
            other.size = 0;
            move(0, offset);
            return;
        }
        int start = size * WORDS;
        int length = other.size * WORDS;
        if (start + length > words.length) {
            words = Arrays.copyOf(words, Math.max(start + length, Math.multiplyExact(words.length, 2)));
        }
        System.arraycopy(other.words, 0, words, start, length);
        size += other.size;
        other.size = 0;
        move(start, offset);
    }

    private void move(int start, long offset) {
        for (int at = start + LOCATION; at < size * WORDS; at += WORDS) {
            words[at] += offset;
        }
    }

    void clear() {
        size = 0;
    }

    void removeFirst(int count) {
        System.arraycopy(words, count * WORDS, words, 0, (size - count) * WORDS);
        size -= count;
    }

    long frame(int entry) {
        return words[entry * WORDS];
    }

    private int id(int entry) {
        return (int) (words[entry * WORDS + KIND] >>> 32) & 0xffff;
    }

    /** Writes entries from {@code first} on into the little-endian target until it is full. */
    void encode(int first, ByteBuffer target) {
        int count = target.remaining() / IndexEntry.BYTES * WORDS;
        target.asLongBuffer().put(words, first * WORDS, count);
        target.position(target.limit());
    }

    /** Sorts by frame, then by id. */
    void sort() {
        for (int entry = 1; entry < size; entry++) {
            if (!less(entry - 1, entry)) {
                heapSort();
                return;
            }
        }
    }

    private boolean less(int a, int b) {
        int frames = Long.compareUnsigned(frame(a), frame(b));
        return frames < 0 || (frames == 0 && id(a) < id(b));
    }

    /**
     * The order in which the C library leaves entries with equal keys depends on its algorithm; docs/formats/gsd.md,
     * section 8.
     */
    private void heapSort() {
        for (int root = (size - 2) / 2; root >= 0; root--) {
            siftDown(root, size);
        }
        for (int end = size - 1; end > 0; end--) {
            swap(0, end);
            siftDown(0, end);
        }
    }

    private void siftDown(int start, int end) {
        int root = start;
        while (2 * root + 1 < end) {
            int candidate = root;
            int child = 2 * root + 1;
            if (less(candidate, child)) {
                candidate = child;
            }
            if (child + 1 < end && less(candidate, child + 1)) {
                candidate = child + 1;
            }
            if (candidate == root) {
                return;
            }
            swap(root, candidate);
            root = candidate;
        }
    }

    private void swap(int a, int b) {
        for (int word = 0; word < WORDS; word++) {
            long kept = words[a * WORDS + word];
            words[a * WORDS + word] = words[b * WORDS + word];
            words[b * WORDS + word] = kept;
        }
    }
}
