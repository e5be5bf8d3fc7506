package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.internal.MemoryFault;
import io.drumlin.storage.internal.MemoryCopy;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.jspecify.annotations.Nullable;

/** The elements of one array of primitives, of one buffer, or of one scalar. Not thread-safe. */
abstract class FlatElements extends Elements {

    /** Number of bytes that fit into a cache of the processor. */
    private static final int REVERSED_AT_ONCE = 32 << 10;

    private final @Nullable Buffer values;
    private final ByteOrder order;

    private FlatElements(ElementType type, long count) {
        super(type, count);
        values = null;
        order = ByteOrder.LITTLE_ENDIAN;
    }

    /**
     * @param values the buffer of the program
     * @param order of the bytes of an element
     */
    private FlatElements(ElementType type, Buffer values, ByteOrder order) {
        super(type, values.remaining());
        this.values = values;
        this.order = order;
    }

    /** Views the first {@code count} elements of an array, a buffer or a scalar. */
    public static Elements of(Object data, long count) {
        long available = elements(data);
        if (count < 0 || count > available) {
            throw new IllegalArgumentException("count " + count + " is not in 0.." + available
                    + ", the elements of this " + data.getClass().getSimpleName());
        }
        if (data instanceof Scalar scalar) {
            return count == 1 ? new OfScalar(scalar) : new OfBytes(ByteBuffer.allocate(0));
        }
        if (data instanceof boolean[] values) {
            return new OfBooleans(values, (int) count);
        }
        Buffer buffer = data instanceof Buffer given ? given.duplicate() : wrap(data);
        return ofBuffer(buffer.limit(buffer.position() + (int) count));
    }

    /** Views all elements of an array of primitives. */
    static Elements ofArray(Object array) {
        return array instanceof boolean[] values ? new OfBooleans(values, values.length) : of(wrap(array));
    }

    /** Returns the number of the elements of an array, a buffer or a scalar. */
    static long elements(Object data) {
        if (data instanceof Scalar) {
            return 1;
        }
        if (data instanceof boolean[] values) {
            return values.length;
        }
        return (data instanceof Buffer buffer ? buffer : wrap(data)).remaining();
    }

    private static Buffer wrap(Object data) {
        if (data instanceof byte[] values) {
            return ByteBuffer.wrap(values);
        } else if (data instanceof short[] values) {
            return ShortBuffer.wrap(values);
        } else if (data instanceof char[] values) {
            return CharBuffer.wrap(values);
        } else if (data instanceof int[] values) {
            return IntBuffer.wrap(values);
        } else if (data instanceof long[] values) {
            return LongBuffer.wrap(values);
        } else if (data instanceof float[] values) {
            return FloatBuffer.wrap(values);
        } else if (data instanceof double[] values) {
            return DoubleBuffer.wrap(values);
        }
        throw new IllegalArgumentException("cannot protect a " + data.getClass().getTypeName() + ": " + WHAT);
    }

    private static Elements ofBuffer(Buffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("cannot protect a read-only buffer: a recovery must write into it");
        }
        return of(buffer.slice());
    }

    /** Views a buffer whose position is 0. */
    private static Elements of(Buffer buffer) {
        if (buffer instanceof ByteBuffer values) {
            return new OfBytes(values);
        } else if (buffer instanceof ShortBuffer values) {
            return new OfShorts(values);
        } else if (buffer instanceof CharBuffer values) {
            return new OfChars(values);
        } else if (buffer instanceof IntBuffer values) {
            return new OfInts(values);
        } else if (buffer instanceof LongBuffer values) {
            return new OfLongs(values);
        } else if (buffer instanceof FloatBuffer values) {
            return new OfFloats(values);
        }
        return new OfDoubles((DoubleBuffer) buffer);
    }

    @Override
    final void copyOut(long offset, ByteBuffer target) {
        int width = width();
        ByteOrder order = target.order();
        target.order(ByteOrder.LITTLE_ENDIAN);
        long position = offset;
        int head = (int) Math.min((width - position % width) % width, target.remaining());
        position += copyOutPart(position, head, target);
        int whole = target.remaining() / width;
        if (whole > 0) {
            if (!isCopiedOut(position, whole * width, target)) {
                copyElementsOut((int) (position / width), whole, target);
            }
            position += (long) whole * width;
        }
        copyOutPart(position, target.remaining(), target);
        target.order(order);
        throwPendingFault();
    }

    @Override
    final void copyIn(long offset, ByteBuffer source) {
        int width = width();
        ByteOrder order = source.order();
        source.order(ByteOrder.LITTLE_ENDIAN);
        long position = offset;
        int head = (int) Math.min((width - position % width) % width, source.remaining());
        position += copyInPart(position, head, source);
        int whole = source.remaining() / width;
        if (whole > 0) {
            if (!isCopiedIn(position, whole * width, source)) {
                copyElementsIn((int) (position / width), whole, source);
            }
            position += (long) whole * width;
        }
        copyInPart(position, source.remaining(), source);
        source.order(order);
        throwPendingFault();
    }

    private void throwPendingFault() {
        if (values != null) {
            MemoryFault.throwPending(values);
        }
    }

    /**
     * Copies a large piece into the variable, if the memory of the elements has the bytes in the same order; returns
     * whether it did.
     */
    private boolean isCopiedIn(long offset, int length, ByteBuffer source) {
        if (values == null || order != ByteOrder.LITTLE_ENDIAN) {
            return false;
        }
        int end = source.limit();
        source.limit(source.position() + length);
        boolean copied = MemoryCopy.copiedIn(source, values, width(), offset);
        source.limit(end);
        advance(source, copied ? length : 0);
        return copied;
    }

    /**
     * Copies a large piece out of the variable, if the memory of the elements has the bytes in the same order; returns
     * whether it did.
     */
    private boolean isCopiedOut(long offset, int length, ByteBuffer target) {
        if (values == null || order != ByteOrder.LITTLE_ENDIAN) {
            return false;
        }
        int end = target.limit();
        target.limit(target.position() + length);
        boolean copied = MemoryCopy.copiedOut(values, width(), offset, target);
        target.limit(end);
        advance(target, copied ? length : 0);
        return copied;
    }

    private int copyOutPart(long offset, int length, ByteBuffer target) {
        if (length > 0) {
            ByteBuffer element = element((int) (offset / width()));
            int start = (int) (offset % width());
            target.put(element.limit(start + length).position(start));
        }
        return length;
    }

    private int copyInPart(long offset, int length, ByteBuffer source) {
        if (length > 0) {
            int index = (int) (offset / width());
            ByteBuffer element = element(index);
            int start = (int) (offset % width());
            element.put(start, source, source.position(), length);
            source.position(source.position() + length);
            copyElementsIn(index, 1, element.position(0).limit(width()));
        }
        return length;
    }

    /** Returns the bytes of an element. */
    private ByteBuffer element(int index) {
        ByteBuffer element = ByteBuffer.allocate(width()).order(ByteOrder.LITTLE_ENDIAN);
        copyElementsOut(index, 1, element);
        return element;
    }

    /** Copies whole elements out as little-endian bytes; advances {@code target}. */
    private void copyElementsOut(int index, int elements, ByteBuffer target) {
        int start = target.position();
        copyOut(index, elements, target.order(order));
        if (order != ByteOrder.LITTLE_ENDIAN) {
            MemoryCopy.reverse(target.slice(start, elements * width()), width());
        }
    }

    /** Copies whole elements in from little-endian bytes; advances {@code source}. */
    private void copyElementsIn(int index, int elements, ByteBuffer source) {
        int width = width();
        if (order == ByteOrder.LITTLE_ENDIAN) {
            copyIn(index, elements, source);
            return;
        }
        ByteBuffer part = ByteBuffer.allocate(Math.min(elements * width, REVERSED_AT_ONCE));
        for (int done = 0; done < elements; done += part.limit() / width) {
            part.clear().limit(Math.min((elements - done) * width, part.capacity()));
            part.put(0, source, source.position(), part.limit());
            MemoryCopy.reverse(part, width);
            copyIn(index + done, part.limit() / width, part.order(order));
            advance(source, part.limit());
        }
    }

    /** Copies whole elements out; advances {@code target}, which has the byte order of the variable. */
    abstract void copyOut(int index, int elements, ByteBuffer target);

    /** Copies whole elements in; advances {@code source}, which has the byte order of the variable. */
    abstract void copyIn(int index, int elements, ByteBuffer source);

    private static void advance(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }

    private static final class OfScalar extends FlatElements {
        private final Scalar scalar;

        OfScalar(Scalar scalar) {
            super(scalar.type(), 1);
            this.scalar = scalar;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            ScalarBytes.copyOut(scalar, target);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            ScalarBytes.copyIn(scalar, source);
        }
    }

    private static final class OfBooleans extends FlatElements {
        private final boolean[] values;

        OfBooleans(boolean[] values, int count) {
            super(ElementType.CHAR, count);
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            for (int i = index; i < index + elements; i++) {
                target.put((byte) (values[i] ? 1 : 0));
            }
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            for (int i = index; i < index + elements; i++) {
                values[i] = source.get() != 0;
            }
        }
    }

    private static final class OfBytes extends FlatElements {
        private final ByteBuffer values;

        OfBytes(ByteBuffer values) {
            super(ElementType.CHAR, values, ByteOrder.LITTLE_ENDIAN);
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.put(target.position(), values, index, elements);
            advance(target, elements);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source, source.position(), elements);
            advance(source, elements);
        }
    }

    private static final class OfShorts extends FlatElements {
        private final ShortBuffer values;

        OfShorts(ShortBuffer values) {
            super(ElementType.SHRT, values, values.order());
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.asShortBuffer().put(0, values, index, elements);
            advance(target, elements * Short.BYTES);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source.asShortBuffer(), 0, elements);
            advance(source, elements * Short.BYTES);
        }
    }

    private static final class OfChars extends FlatElements {
        private final CharBuffer values;

        OfChars(CharBuffer values) {
            super(ElementType.USHT, values, values.order());
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.asCharBuffer().put(0, values, index, elements);
            advance(target, elements * Character.BYTES);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source.asCharBuffer(), 0, elements);
            advance(source, elements * Character.BYTES);
        }
    }

    private static final class OfInts extends FlatElements {
        private final IntBuffer values;

        OfInts(IntBuffer values) {
            super(ElementType.INTG, values, values.order());
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.asIntBuffer().put(0, values, index, elements);
            advance(target, elements * Integer.BYTES);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source.asIntBuffer(), 0, elements);
            advance(source, elements * Integer.BYTES);
        }
    }

    private static final class OfLongs extends FlatElements {
        private final LongBuffer values;

        OfLongs(LongBuffer values) {
            super(ElementType.LONG, values, values.order());
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.asLongBuffer().put(0, values, index, elements);
            advance(target, elements * Long.BYTES);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source.asLongBuffer(), 0, elements);
            advance(source, elements * Long.BYTES);
        }
    }

    private static final class OfFloats extends FlatElements {
        private final FloatBuffer values;

        OfFloats(FloatBuffer values) {
            super(ElementType.SFLT, values, values.order());
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.asFloatBuffer().put(0, values, index, elements);
            advance(target, elements * Float.BYTES);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source.asFloatBuffer(), 0, elements);
            advance(source, elements * Float.BYTES);
        }
    }

    private static final class OfDoubles extends FlatElements {
        private final DoubleBuffer values;

        OfDoubles(DoubleBuffer values) {
            super(ElementType.DBLE, values, values.order());
            this.values = values;
        }

        @Override
        void copyOut(int index, int elements, ByteBuffer target) {
            target.asDoubleBuffer().put(0, values, index, elements);
            advance(target, elements * Double.BYTES);
        }

        @Override
        void copyIn(int index, int elements, ByteBuffer source) {
            values.put(index, source.asDoubleBuffer(), 0, elements);
            advance(source, elements * Double.BYTES);
        }
    }
}
