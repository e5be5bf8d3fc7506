package io.drumlin.checkpoint.internal.data;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The lengths of an array of primitives or of an array of arrays, down to its primitives. Immutable. */
final class ArrayShape {

    private final int length;
    private final long elements;
    private final boolean isRow;

    /** The shapes of the arrays in this one; a single one if they are equal. Empty for an array of primitives. */
    private final ArrayShape[] parts;

    /** Number of primitives before each part, and of all. Empty if the parts are equal. */
    private final long[] starts;

    /** Creates the shape of an array of primitives. */
    private ArrayShape(int length) {
        this.length = length;
        elements = length;
        isRow = true;
        parts = new ArrayShape[0];
        starts = new long[0];
    }

    private ArrayShape(ArrayShape[] all) {
        length = all.length;
        isRow = false;
        boolean equal = Arrays.stream(all).allMatch(part -> part.isEqualTo(all[0]));
        parts = equal ? Arrays.copyOf(all, Math.min(length, 1)) : all;
        starts = equal ? new long[0] : starts(all);
        elements = equal ? Math.multiplyExact(length, length == 0 ? 0 : all[0].elements) : starts[length];
    }

    private static long[] starts(ArrayShape[] parts) {
        long[] starts = new long[parts.length + 1];
        for (int i = 0; i < parts.length; i++) {
            starts[i + 1] = Math.addExact(starts[i], parts[i].elements);
        }
        return starts;
    }

    /**
     * Returns the present shape of an array.
     *
     * @throws IllegalArgumentException an array in it is null
     */
    static ArrayShape of(Object[] arrays) {
        return of(arrays, new HashMap<>());
    }

    /** @param rows the shapes of arrays of primitives so far, by length, because there may be millions of them */
    private static ArrayShape of(Object array, Map<Integer, ArrayShape> rows) {
        if (!(array instanceof Object[] arrays)) {
            return rows.computeIfAbsent(Array.getLength(array), ArrayShape::new);
        }
        ArrayShape[] parts = new ArrayShape[arrays.length];
        for (int i = 0; i < parts.length; i++) {
            if (arrays[i] == null) {
                throw new IllegalArgumentException("cannot protect a "
                        + array.getClass().getSimpleName() + " in which the array at index " + i + " is null");
            }
            parts[i] = of(arrays[i], rows);
        }
        return new ArrayShape(parts);
    }

    private boolean isEqualTo(ArrayShape other) {
        if (this == other) {
            return true;
        }
        boolean equal = length == other.length && parts.length == other.parts.length;
        for (int i = 0; equal && i < parts.length; i++) {
            equal = parts[i].isEqualTo(other.parts[i]);
        }
        return equal;
    }

    int length() {
        return length;
    }

    /** Returns the number of primitives. */
    long elements() {
        return elements;
    }

    /** Returns the shape of an array in this one. */
    ArrayShape part(int index) {
        return parts[starts.length == 0 ? 0 : index];
    }

    /** Returns the number of primitives before an array in this one. */
    long start(int index) {
        return starts.length == 0 ? index * part(0).elements : starts[index];
    }

    /** Returns the index of the array in this one that has a primitive. */
    int indexOf(long element) {
        if (starts.length == 0) {
            return (int) (element / part(0).elements);
        }
        int low = 0;
        int high = length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (starts[middle + 1] > element) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Returns the end of the arrays from {@code first} on, which is one with primitives, that have at most {@code room} primitives together. */
    int endOfParts(int first, long room) {
        if (starts.length == 0) {
            return (int) Math.min(length, first + room / part(0).elements);
        }
        long limit = start(first) + room;
        int end = first;
        while (end < length && start(end + 1) <= limit) {
            end++;
        }
        return end;
    }

    /** Returns whether this is the shape of an array of primitives. */
    boolean isRow() {
        return isRow;
    }

    /** Returns whether all arrays of a level have the same length, as in an array of C. */
    boolean isRectangular() {
        return starts.length == 0 && Arrays.stream(parts).allMatch(ArrayShape::isRectangular);
    }

    /** Returns the lengths from the outermost array to the innermost, if the array is rectangular and has primitives. */
    List<Long> dimensions() {
        List<Long> dimensions = new ArrayList<>();
        if (elements > 0 && isRectangular()) {
            dimensions.add((long) length);
            if (parts.length > 0) {
                dimensions.addAll(parts[0].dimensions());
            }
        }
        return dimensions;
    }
}
