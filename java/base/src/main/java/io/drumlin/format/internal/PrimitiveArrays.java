package io.drumlin.format.internal;

import java.nio.ByteBuffer;

/** Elements of arrays of primitives as bytes, in the byte order of the buffer. A boolean is a byte, 0 or 1. Thread-safe. */
public final class PrimitiveArrays {

    private PrimitiveArrays() {}

    /**
     * Returns the bytes of an element.
     *
     * @param array the array
     * @return 1, 2, 4 or 8
     * @throws IllegalArgumentException {@code array} is no array of primitives
     */
    public static int width(Object array) {
        if (array instanceof double[] || array instanceof long[]) {
            return Long.BYTES;
        } else if (array instanceof float[] || array instanceof int[]) {
            return Integer.BYTES;
        } else if (array instanceof char[] || array instanceof short[]) {
            return Short.BYTES;
        } else if (array instanceof byte[] || array instanceof boolean[]) {
            return 1;
        }
        throw new IllegalArgumentException(
                "a " + array.getClass().getTypeName() + " is no array of primitives and no ByteBuffer");
    }

    /**
     * Copies elements into a buffer.
     *
     * @param array an array of primitives
     * @param from index of the first element
     * @param count number of elements
     * @param target gets them from its position on, which does not change
     */
    public static void copyOut(Object array, int from, int count, ByteBuffer target) {
        if (array instanceof double[] values) {
            target.asDoubleBuffer().put(values, from, count);
        } else if (array instanceof float[] values) {
            target.asFloatBuffer().put(values, from, count);
        } else if (array instanceof long[] values) {
            target.asLongBuffer().put(values, from, count);
        } else if (array instanceof int[] values) {
            target.asIntBuffer().put(values, from, count);
        } else if (array instanceof char[] values) {
            target.asCharBuffer().put(values, from, count);
        } else if (array instanceof short[] values) {
            target.asShortBuffer().put(values, from, count);
        } else if (array instanceof byte[] values) {
            target.put(target.position(), values, from, count);
        } else {
            boolean[] values = (boolean[]) array;
            for (int i = 0; i < count; i++) {
                target.put(target.position() + i, (byte) (values[from + i] ? 1 : 0));
            }
        }
    }

    /**
     * Copies elements out of a buffer.
     *
     * @param array an array of primitives
     * @param from index of the first element
     * @param count number of elements
     * @param source has them from its position on, which does not change
     */
    public static void copyIn(Object array, int from, int count, ByteBuffer source) {
        if (array instanceof double[] values) {
            source.asDoubleBuffer().get(values, from, count);
        } else if (array instanceof float[] values) {
            source.asFloatBuffer().get(values, from, count);
        } else if (array instanceof long[] values) {
            source.asLongBuffer().get(values, from, count);
        } else if (array instanceof int[] values) {
            source.asIntBuffer().get(values, from, count);
        } else if (array instanceof char[] values) {
            source.asCharBuffer().get(values, from, count);
        } else if (array instanceof short[] values) {
            source.asShortBuffer().get(values, from, count);
        } else if (array instanceof byte[] values) {
            source.get(source.position(), values, from, count);
        } else {
            boolean[] values = (boolean[]) array;
            for (int i = 0; i < count; i++) {
                values[from + i] = source.get(source.position() + i) != 0;
            }
        }
    }
}
