package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Arrays of primitives as messages. */
final class ArrayBytes {

    private ArrayBytes() {}

    /**
     * Returns a copy of an array, in the byte order of the machine.
     *
     * @throws IllegalArgumentException it is no array of primitives, or has more than 2 GiB
     */
    static ByteBuffer of(Object array) {
        long bytes = (long) width(array) * Array.getLength(array);
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("an array of " + bytes + " bytes is too long for a message of 2 GiB");
        }
        ByteBuffer copy = ByteBuffer.allocate((int) bytes).order(ByteOrder.nativeOrder());
        if (array instanceof double[] values) {
            copy.asDoubleBuffer().put(values);
        } else if (array instanceof float[] values) {
            copy.asFloatBuffer().put(values);
        } else if (array instanceof long[] values) {
            copy.asLongBuffer().put(values);
        } else if (array instanceof int[] values) {
            copy.asIntBuffer().put(values);
        } else if (array instanceof char[] values) {
            copy.asCharBuffer().put(values);
        } else if (array instanceof short[] values) {
            copy.asShortBuffer().put(values);
        } else if (array instanceof byte[] values) {
            copy.put(0, values);
        } else {
            boolean[] values = (boolean[]) array;
            for (int i = 0; i < values.length; i++) {
                copy.put(i, (byte) (values[i] ? 1 : 0));
            }
        }
        return copy;
    }

    private static int width(Object array) {
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

    /** Copies the remaining bytes into the first elements of an array, of which they have the byte order. */
    static void copy(ByteBuffer bytes, Object array) {
        ByteBuffer source = bytes.duplicate().order(ByteOrder.nativeOrder());
        int count = source.remaining() / width(array);
        if (array instanceof double[] values) {
            source.asDoubleBuffer().get(values, 0, count);
        } else if (array instanceof float[] values) {
            source.asFloatBuffer().get(values, 0, count);
        } else if (array instanceof long[] values) {
            source.asLongBuffer().get(values, 0, count);
        } else if (array instanceof int[] values) {
            source.asIntBuffer().get(values, 0, count);
        } else if (array instanceof char[] values) {
            source.asCharBuffer().get(values, 0, count);
        } else if (array instanceof short[] values) {
            source.asShortBuffer().get(values, 0, count);
        } else if (array instanceof byte[] values) {
            source.get(values, 0, count);
        } else {
            boolean[] values = (boolean[]) array;
            for (int i = 0; i < count; i++) {
                values[i] = source.get() != 0;
            }
        }
    }

    /**
     * Copies a received message into an array, and returns the number of its values.
     *
     * @throws IOException the message ends within a value
     */
    static int received(ByteBuffer bytes, int length, Object array, int source) throws IOException {
        int width = width(array);
        if (length % width != 0) {
            throw DrumlinException.during("receive from rank " + source)
                    .problem("a message of " + length + " bytes is no "
                            + array.getClass().getSimpleName())
                    .advice("receive into an array of the type that was sent")
                    .exception();
        }
        copy(bytes.duplicate().limit(length), array);
        return length / width;
    }

    /** {@link Communicator#allgatherv}: the lengths first, then parts that are all as long as the longest. */
    static <A> A allgatherv(Communicator comm, A part) throws IOException {
        int width = width(part);
        int[] lengths = new int[comm.size()];
        comm.allgather(new int[] {Array.getLength(part)}, lengths);
        long all = 0;
        int longest = 0;
        for (int length : lengths) {
            all += length;
            longest = Math.max(longest, length);
        }
        if (all * width > Integer.MAX_VALUE || (long) longest * width * comm.size() > Integer.MAX_VALUE) {
            throw DrumlinException.during("allgatherv")
                    .rank(comm.rank())
                    .problem("the arrays of all ranks have " + all + " elements and the longest " + longest
                            + ", more than a message of 2 GiB")
                    .advice("gather them in pieces")
                    .exception();
        }
        ByteBuffer own = ByteBuffer.allocate(longest * width);
        own.put(0, of(part), 0, Array.getLength(part) * width);
        ByteBuffer parts = ByteBuffer.allocate(longest * width * comm.size());
        comm.allgather(own, parts);
        return joined(part, lengths, longest * width, parts);
    }

    @SuppressWarnings("unchecked") // it is of the class of the part
    private static <A> A joined(A part, int[] lengths, int stride, ByteBuffer parts) {
        int width = width(part);
        ByteBuffer bytes = ByteBuffer.allocate(parts.capacity());
        for (int rank = 0; rank < lengths.length; rank++) {
            bytes.put(parts.slice(rank * stride, lengths[rank] * width));
        }
        bytes.flip();
        A all = (A) Array.newInstance(part.getClass().getComponentType(), bytes.remaining() / width);
        copy(bytes, all);
        return all;
    }
}
