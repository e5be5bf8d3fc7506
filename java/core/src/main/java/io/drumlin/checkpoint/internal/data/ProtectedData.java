package io.drumlin.checkpoint.internal.data;

import io.drumlin.MemoryFault;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.storage.MemoryCopy;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A view of a protected variable as bytes: the little-endian values of an array, buffer or scalar.
 *
 * <p>Any byte range can be copied, because a container may end inside an element. Not thread-safe.
 */
public abstract class ProtectedData {

    /** Number of bytes that fit into a cache of the processor. */
    private static final int REVERSED_AT_ONCE = 32 << 10;

    private final int width;
    private final long count;
    private final @Nullable Buffer values;
    private final ByteOrder order;
    private DataType type;
    private VariableName label = VariableName.NONE;
    private Optional<Distribution> distribution = Optional.empty();
    private DatasetDefinition dataset = DatasetDefinition.in(new RunGroup());
    private final ByteBuffer element = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private ProtectedData(ElementType type, long count) {
        this(type.size(), type, count, null, ByteOrder.LITTLE_ENDIAN);
    }

    private ProtectedData(ElementType type, Buffer values, ByteOrder order) {
        this(type.size(), type, values.remaining(), values, order);
    }

    /**
     * @param values the buffer of the program; null if the elements are elsewhere
     * @param order of the bytes of an element
     */
    ProtectedData(int width, DataType type, long count, @Nullable Buffer values, ByteOrder order) {
        this.order = order;
        this.values = values;
        this.width = width;
        this.count = count;
        this.type = type;
    }

    /** Sets the type of the elements in C. One or more elements of the Java type make up one element of this type. */
    public ProtectedData as(DataType given) {
        type = given;
        return this;
    }

    /** Returns the type of the elements in C; unless {@link #as} set it, the type that fits their Java type. */
    public DataType type() {
        return type;
    }

    /** Sets the names that the program gives the variable. */
    public void label(VariableName given) {
        label = given;
    }

    /** Sets where the variable is in a file of the mode HDF5. */
    public void dataset(DatasetDefinition given) {
        dataset = given;
    }

    /** Returns where the variable is in a file of the mode HDF5. */
    public DatasetDefinition dataset() {
        return dataset;
    }

    /** Sets how the ranks share the variable. */
    public void distribution(Optional<Distribution> given) {
        distribution = given;
    }

    /** Returns how the ranks share the variable, if the program has said so. */
    public Optional<Distribution> distribution() {
        return distribution;
    }

    /** Returns the names that the program gives the variable. */
    public VariableName label() {
        return label;
    }

    /**
     * Views {@code data} as bytes.
     *
     * @param data a primitive array, a buffer (from its position to its limit as they are now) or a {@link Scalar}
     * @throws IllegalArgumentException the class of {@code data} cannot be protected
     */
    public static ProtectedData of(Object data) {
        return of(data, elements(data));
    }

    /** Views the first {@code count} elements of {@code data} as bytes; otherwise like {@link #of(Object)}. */
    public static ProtectedData of(Object data, long count) {
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

    private static long elements(@Nullable Object data) {
        if (data == null) {
            throw new IllegalArgumentException(
                    "cannot protect null: give a primitive array, a java.nio buffer or a Scalar");
        }
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
        throw new IllegalArgumentException("cannot protect a " + data.getClass().getTypeName()
                + ": give a primitive array, a java.nio buffer or a Scalar");
    }

    private static ProtectedData ofBuffer(Buffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("cannot protect a read-only buffer: a recovery must write into it");
        }
        if (buffer instanceof ByteBuffer values) {
            return new OfBytes(values.slice());
        } else if (buffer instanceof ShortBuffer values) {
            return new OfShorts(values.slice());
        } else if (buffer instanceof CharBuffer values) {
            return new OfChars(values.slice());
        } else if (buffer instanceof IntBuffer values) {
            return new OfInts(values.slice());
        } else if (buffer instanceof LongBuffer values) {
            return new OfLongs(values.slice());
        } else if (buffer instanceof FloatBuffer values) {
            return new OfFloats(values.slice());
        }
        return new OfDoubles(((DoubleBuffer) buffer).slice());
    }

    /**
     * Returns a new array of the class of {@code array} with {@code bytes} bytes.
     *
     * @throws IllegalArgumentException {@code array} is not a primitive array, or the bytes are not whole elements
     */
    public @SuppressWarnings("unchecked") // the component type is that of the argument
    static <T> T newArray(T array, long bytes) {
        Class<?> component = array.getClass().getComponentType();
        int width = of(array).width();
        if (component == null || bytes % width != 0 || bytes / width > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    bytes + " bytes cannot be in a " + array.getClass().getTypeName());
        }
        return (T) Array.newInstance(component, (int) (bytes / width));
    }

    public int width() {
        return width;
    }

    long count() {
        return count;
    }

    public long size() {
        return width * count;
    }

    /** Copies bytes from {@code offset} on into the remaining space of {@code target}, whatever its byte order. */
    public final void copyOut(long offset, ByteBuffer target) {
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

    /**
     * Copies the remaining bytes of {@code source}, whatever its byte order, into the variable from {@code offset} on.
     */
    public final void copyIn(long offset, ByteBuffer source) {
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
     * Changes one bit.
     *
     * @param bit number of the bit, counted over the bytes, the lowest bit of each byte first
     */
    final void flipBit(long bit) {
        ByteBuffer one = ByteBuffer.allocate(1);
        copyOut(bit / Byte.SIZE, one);
        one.put(0, (byte) (one.get(0) ^ 1 << bit % Byte.SIZE));
        copyIn(bit / Byte.SIZE, one.flip());
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
        boolean copied = MemoryCopy.copiedIn(source, values, width, offset);
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
        boolean copied = MemoryCopy.copiedOut(values, width, offset, target);
        target.limit(end);
        advance(target, copied ? length : 0);
        return copied;
    }

    private int copyOutPart(long offset, int length, ByteBuffer target) {
        if (length > 0) {
            copyElementsOut((int) (offset / width), 1, element.clear());
            int start = (int) (offset % width);
            target.put(element.limit(start + length).position(start));
        }
        return length;
    }

    private int copyInPart(long offset, int length, ByteBuffer source) {
        if (length > 0) {
            int index = (int) (offset / width);
            copyElementsOut(index, 1, element.clear());
            int start = (int) (offset % width);
            element.put(start, source, source.position(), length);
            source.position(source.position() + length);
            copyElementsIn(index, 1, element.position(0).limit(width));
        }
        return length;
    }

    /** Copies whole elements out as little-endian bytes; advances {@code target}. */
    private void copyElementsOut(int index, int elements, ByteBuffer target) {
        int start = target.position();
        copyOut(index, elements, target.order(order));
        if (order != ByteOrder.LITTLE_ENDIAN) {
            MemoryCopy.reverse(target.slice(start, elements * width), width);
        }
    }

    /** Copies whole elements in from little-endian bytes; advances {@code source}. */
    private void copyElementsIn(int index, int elements, ByteBuffer source) {
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

    static void advance(ByteBuffer buffer, int bytes) {
        buffer.position(buffer.position() + bytes);
    }

    private static final class OfScalar extends ProtectedData {
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

    private static final class OfBooleans extends ProtectedData {
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

    private static final class OfBytes extends ProtectedData {
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

    private static final class OfShorts extends ProtectedData {
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

    private static final class OfChars extends ProtectedData {
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

    private static final class OfInts extends ProtectedData {
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

    private static final class OfLongs extends ProtectedData {
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

    private static final class OfFloats extends ProtectedData {
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

    private static final class OfDoubles extends ProtectedData {
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
