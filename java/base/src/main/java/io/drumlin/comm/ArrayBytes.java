package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.format.internal.PrimitiveArrays;
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
        long bytes = (long) PrimitiveArrays.width(array) * Array.getLength(array);
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("an array of " + bytes + " bytes is too long for a message of 2 GiB");
        }
        ByteBuffer copy = ByteBuffer.allocate((int) bytes).order(ByteOrder.nativeOrder());
        PrimitiveArrays.copyOut(array, 0, Array.getLength(array), copy);
        return copy;
    }

    /** Copies the remaining bytes into the first elements of an array, of which they have the byte order. */
    static void copy(ByteBuffer bytes, Object array) {
        int count = bytes.remaining() / PrimitiveArrays.width(array);
        PrimitiveArrays.copyIn(array, 0, count, bytes.duplicate().order(ByteOrder.nativeOrder()));
    }

    /**
     * Copies a received message into an array, and returns the number of its values.
     *
     * @throws IOException the message ends within a value
     */
    static int received(ByteBuffer bytes, int length, Object array, int source) throws IOException {
        int width = PrimitiveArrays.width(array);
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
        int width = PrimitiveArrays.width(part);
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
        int width = PrimitiveArrays.width(part);
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
