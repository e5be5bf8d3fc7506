package io.drumlin.checkpoint.internal.data;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/**
 * One array for many short arrays of primitives on their way to bytes and back. To see an array as bytes takes objects and
 * calls, which cost more than the bytes of a short one. Not thread-safe.
 */
final class ShortRows {

    /** Fits into the cache of a processor. A smaller one would leave more garbage for each slab. */
    private static final int BYTES = 64 << 10;

    private final Object joined;
    private final Elements elements;

    /**
     * @param row an array of the class of all rows
     * @param count number of primitives in all rows together, of which no more than {@link #most} are copied at once
     */
    ShortRows(Object row, long count) {
        int width = FlatElements.ofArray(row).width();
        joined = Array.newInstance(row.getClass().getComponentType(), (int) Math.min(count, most(width)));
        elements = FlatElements.ofArray(joined);
    }

    /** Returns the most primitives that are copied at once. */
    static int most(int width) {
        return BYTES / width;
    }

    /** Copies a row into the joined array, where {@code at} primitives are before it. */
    void put(Object row, int length, int at) {
        System.arraycopy(row, 0, joined, at, length);
    }

    /** Copies primitives of the joined array, of which {@code at} are before them, into a row. */
    void get(Object row, int length, int at) {
        System.arraycopy(joined, at, row, 0, length);
    }

    /** Copies the first {@code count} primitives of the joined array out. */
    void copyOut(int count, ByteBuffer target) {
        int limit = target.limit();
        elements.copyOut(0, target.limit(target.position() + count * elements.width()));
        target.limit(limit);
    }

    /** Copies bytes into the first {@code count} primitives of the joined array. */
    void copyIn(int count, ByteBuffer source) {
        int limit = source.limit();
        elements.copyIn(0, source.limit(source.position() + count * elements.width()));
        source.limit(limit);
    }
}
