package io.drumlin.gsd.internal;

import io.drumlin.format.gsd.ElementType;
import io.drumlin.internal.MemoryFault;
import io.drumlin.storage.internal.MemoryCopy;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** The elements in a program's buffer and their little-endian bytes in the file. */
public final class Elements {

    /** Bytes of the widest element. A multiple of it holds whole elements of any type. */
    static final int WIDEST = Long.BYTES;

    private Elements() {}

    /** Makes an array for elements of a type. */
    public static Object array(ElementType type, int length) {
        return switch (type) {
            case UINT8, INT8, CHARACTER -> new byte[length];
            case UINT16, INT16 -> new short[length];
            case UINT32, INT32 -> new int[length];
            case UINT64, INT64 -> new long[length];
            case FLOAT -> new float[length];
            case DOUBLE -> new double[length];
        };
    }

    /** Returns a view of {@code length} elements of an array, from {@code start} on. It accepts bytes of the file. */
    public static Consumer<ByteBuffer> sink(Object array, int start, int length) {
        if (array instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes, start, length)::put;
        } else if (array instanceof short[] shorts) {
            ShortBuffer target = ShortBuffer.wrap(shorts, start, length);
            return piece -> target.put(piece.asShortBuffer());
        } else if (array instanceof int[] ints) {
            IntBuffer target = IntBuffer.wrap(ints, start, length);
            return piece -> target.put(piece.asIntBuffer());
        } else if (array instanceof long[] longs) {
            LongBuffer target = LongBuffer.wrap(longs, start, length);
            return piece -> target.put(piece.asLongBuffer());
        } else if (array instanceof float[] floats) {
            FloatBuffer target = FloatBuffer.wrap(floats, start, length);
            return piece -> target.put(piece.asFloatBuffer());
        }
        DoubleBuffer target = DoubleBuffer.wrap((double[]) array, start, length);
        return piece -> target.put(piece.asDoubleBuffer());
    }

    /** Returns the text that a chunk of characters holds. */
    public static String text(byte[] utf8) {
        int end = utf8.length;
        while (end > 0 && utf8[end - 1] == 0) {
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8);
    }

    /**
     * Returns the number of bytes of the remaining elements in a buffer. A byte buffer holds elements of any type, as
     * they are in the file.
     */
    static long bytes(ElementType type, Buffer data) {
        boolean fits = data instanceof ByteBuffer
                || switch (type) {
                    case UINT8, INT8, CHARACTER -> false;
                    case UINT16, INT16 -> data instanceof ShortBuffer;
                    case UINT32, INT32 -> data instanceof IntBuffer;
                    case UINT64, INT64 -> data instanceof LongBuffer;
                    case FLOAT -> data instanceof FloatBuffer;
                    case DOUBLE -> data instanceof DoubleBuffer;
                };
        if (!fits) {
            throw new IllegalArgumentException(
                    "a " + data.getClass().getSimpleName() + " does not hold elements of type " + type.label());
        }
        return (long) data.remaining() * width(data);
    }

    private static int width(Buffer data) {
        if (data instanceof ByteBuffer) {
            return 1;
        } else if (data instanceof ShortBuffer) {
            return Short.BYTES;
        } else if (data instanceof IntBuffer || data instanceof FloatBuffer) {
            return Integer.BYTES;
        }
        return Long.BYTES;
    }

    /**
     * Copies elements as bytes of the file.
     *
     * @param data its position and limit, which do not change, bound the elements
     * @param from first byte, at the boundary of an element
     * @param target receives whole elements until it is full; its position moves to its limit
     */
    static void copy(Buffer data, long from, ByteBuffer target) {
        int width = width(data);
        int first = data.position() + (int) (from / width);
        int count = target.remaining() / width;
        ByteOrder order = order(data);
        if (order == ByteOrder.LITTLE_ENDIAN && MemoryCopy.copiedOut(data, width, (long) first * width, target)) {
            target.position(target.limit());
            return;
        }
        ByteBuffer copy = target.slice().order(order);
        if (data instanceof ByteBuffer bytes) {
            copy.put(0, bytes, first, count);
        } else if (data instanceof ShortBuffer shorts) {
            copy.asShortBuffer().put(0, shorts, first, count);
        } else if (data instanceof IntBuffer ints) {
            copy.asIntBuffer().put(0, ints, first, count);
        } else if (data instanceof LongBuffer longs) {
            copy.asLongBuffer().put(0, longs, first, count);
        } else if (data instanceof FloatBuffer floats) {
            copy.asFloatBuffer().put(0, floats, first, count);
        } else if (data instanceof DoubleBuffer doubles) {
            copy.asDoubleBuffer().put(0, doubles, first, count);
        }
        MemoryFault.throwPending(data);
        if (order != ByteOrder.LITTLE_ENDIAN) {
            MemoryCopy.reverse(copy, width);
        }
        target.position(target.limit());
    }

    /** Returns the order of the bytes of an element. Bytes are as they are in the file. */
    private static ByteOrder order(Buffer data) {
        if (data instanceof ShortBuffer shorts) {
            return shorts.order();
        } else if (data instanceof IntBuffer ints) {
            return ints.order();
        } else if (data instanceof LongBuffer longs) {
            return longs.order();
        } else if (data instanceof FloatBuffer floats) {
            return floats.order();
        } else if (data instanceof DoubleBuffer doubles) {
            return doubles.order();
        }
        return ByteOrder.LITTLE_ENDIAN;
    }
}
