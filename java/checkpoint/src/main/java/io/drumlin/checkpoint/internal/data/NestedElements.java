package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of an array of arrays, in the order of an array in C. The arrays in it are looked up whenever
 * bytes are copied, so a program can put others of the same lengths in their places.
 */
final class NestedElements extends Elements {

    private final Object[] arrays;
    private final ArrayShape shape;

    /** Null until short rows are copied. */
    private @Nullable ShortRows joined;

    private NestedElements(ElementType type, Object[] arrays, ArrayShape shape) {
        super(type, shape.elements());
        this.arrays = arrays;
        this.shape = shape;
    }

    /**
     * Views the elements of an array of arrays of any lengths.
     *
     * @throws IllegalArgumentException an array in it is null, or its elements are no primitives
     */
    static NestedElements of(Object[] arrays) {
        ElementType type = FlatElements.ofArray(none(arrays)).type();
        return new NestedElements(type, arrays, ArrayShape.of(arrays));
    }

    /**
     * Views the elements of a rectangular array of arrays.
     *
     * @throws IllegalArgumentException it is not rectangular, or as {@link #of}
     */
    static NestedElements ofRectangular(Object[] arrays) {
        NestedElements elements = of(arrays);
        if (!elements.shape.isRectangular()) {
            throw new IllegalArgumentException("cannot protect a "
                    + arrays.getClass().getSimpleName()
                    + " whose arrays differ in length: it is no array of C; protectRagged stores the lengths, too");
        }
        return elements;
    }

    /** Returns an empty array of the class of the innermost arrays. */
    private static Object none(Object[] arrays) {
        Class<?> component = arrays.getClass().getComponentType();
        while (component.isArray() && component.getComponentType().isArray()) {
            component = component.getComponentType();
        }
        if (!component.isArray() || !component.getComponentType().isPrimitive()) {
            throw new IllegalArgumentException(
                    "cannot protect a " + arrays.getClass().getTypeName() + ": " + WHAT);
        }
        return Array.newInstance(component.getComponentType(), 0);
    }

    @Override
    List<Long> dimensions() {
        return shape.dimensions();
    }

    @Override
    void copyOut(long offset, ByteBuffer target) {
        copy(offset, target, Copy.OUT);
    }

    @Override
    void copyIn(long offset, ByteBuffer source) {
        copy(offset, source, Copy.IN);
    }

    private void copy(long offset, ByteBuffer bytes, Copy copy) {
        if (bytes.hasRemaining()) {
            each(arrays, shape, offset, bytes, copy);
        }
    }

    private enum Copy {
        OUT,
        IN
    }

    /** Copies the remaining bytes, as far as they belong to an array, in pieces that belong to an innermost array. */
    private void each(@Nullable Object present, ArrayShape expected, long offset, ByteBuffer bytes, Copy copy) {
        Object array = require(present, expected.length());
        if (!(array instanceof Object[] parts)) {
            copyRow(FlatElements.ofArray(array), offset, bytes, copy);
            return;
        }
        int end = bytes.limit();
        long position = offset;
        long size = expected.elements() * width();
        int next = expected.indexOf(offset / width());
        while (bytes.position() < end && position < size) {
            int first = next;
            ArrayShape part = expected.part(first);
            long from = position - expected.start(first) * width();
            boolean whole = from == 0 && part.isRow();
            next = whole ? copyShortRows(parts, expected, first, bytes, copy) : first;
            if (next > first) {
                position = expected.start(next) * width();
                continue;
            }
            next = first + 1;
            int length = (int) Math.min(end - bytes.position(), part.elements() * width() - from);
            if (length > 0) {
                bytes.limit(bytes.position() + length);
                each(parts[first], part, from, bytes, copy);
                bytes.limit(end);
                position += length;
            }
        }
    }

    private static void copyRow(Elements row, long offset, ByteBuffer bytes, Copy copy) {
        if (copy == Copy.OUT) {
            row.copyOut(offset, bytes);
        } else {
            row.copyIn(offset, bytes);
        }
    }

    /**
     * Copies arrays of primitives from {@code first} on that are short and whole in the remaining bytes, if there are several.
     *
     * @return the index of the next array
     */
    private int copyShortRows(Object[] rows, ArrayShape expected, int first, ByteBuffer bytes, Copy copy) {
        int end = expected.endOfParts(first, Math.min(ShortRows.most(width()), bytes.remaining() / width()));
        if (end - first < 2) {
            return first;
        }
        ShortRows all = joined == null ? new ShortRows(none(arrays), shape.elements()) : joined;
        joined = all;
        int count = (int) (expected.start(end) - expected.start(first));
        if (copy == Copy.IN) {
            all.copyIn(count, bytes);
        }
        int at = 0;
        for (int i = first; i < end; i++) {
            int length = expected.part(i).length();
            Object row = require(rows[i], length);
            if (copy == Copy.OUT) {
                all.put(row, length, at);
            } else {
                all.get(row, length, at);
            }
            at += length;
        }
        if (copy == Copy.OUT) {
            all.copyOut(count, bytes);
        }
        return end;
    }

    private Object require(@Nullable Object array, int expected) {
        if (array != null && Array.getLength(array) == expected) {
            return array;
        }
        throw new IllegalStateException("a protected " + arrays.getClass().getSimpleName()
                + " has changed: an array in it is " + (array == null ? "null" : "of length " + Array.getLength(array))
                + " and was of length " + expected + "; protect it again after a change of its lengths");
    }

    /**
     * One array for many short arrays of primitives on their way to bytes and back. To see an array as bytes takes objects and
     * calls, which cost more than the bytes of a short one. Not thread-safe.
     */
    private static final class ShortRows {

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
}
