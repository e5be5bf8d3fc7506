package io.drumlin.gsd;

import io.drumlin.format.gsd.ElementType;
import io.drumlin.gsd.internal.Elements;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Elements in memory with their type and shape, read from chunks or to be written as one chunk. Arrays are kept, not
 * copied.
 */
public final class ChunkData {

    private final ElementType type;
    private final int columns;
    private final Object elements;

    private ChunkData(ElementType type, Object elements, int columns) {
        this.type = type;
        this.columns = columns;
        this.elements = elements;
    }

    /**
     * Makes data of any type.
     *
     * @param type the type of the elements
     * @param elements an array of primitives of the type's width, row by row: {@code float[]}, {@code double[]}, or for
     *     integers, signed and unsigned alike, {@code byte[]}, {@code short[]}, {@code int[]} or {@code long[]}
     * @param columns M, 1 or more
     * @return the data
     * @throws IllegalArgumentException the array does not fit the type, or it does not consist of whole rows
     */
    public static ChunkData of(ElementType type, Object elements, int columns) {
        if (!Elements.array(type, 0).getClass().equals(elements.getClass())) {
            throw new IllegalArgumentException(
                    "a " + elements.getClass().getSimpleName() + " does not hold elements of type " + type.label());
        }
        if (columns < 1 || Array.getLength(elements) % columns != 0) {
            throw new IllegalArgumentException(
                    Array.getLength(elements) + " elements are not rows of " + columns + " columns");
        }
        return new ChunkData(type, elements, columns);
    }

    /**
     * Makes data of type double in one column.
     *
     * @param elements one or more
     * @return the data
     */
    public static ChunkData of(double... elements) {
        return of(ElementType.DOUBLE, elements, 1);
    }

    /**
     * Makes data of type float in one column.
     *
     * @param elements one or more
     * @return the data
     */
    public static ChunkData of(float... elements) {
        return of(ElementType.FLOAT, elements, 1);
    }

    /**
     * Makes data of type int32 in one column.
     *
     * @param elements one or more
     * @return the data
     */
    public static ChunkData of(int... elements) {
        return of(ElementType.INT32, elements, 1);
    }

    /**
     * Makes data of type int64 in one column.
     *
     * @param elements one or more
     * @return the data
     */
    public static ChunkData of(long... elements) {
        return of(ElementType.INT64, elements, 1);
    }

    /**
     * Makes a text, of type character. Files before version 2.1 and programs for such files do not have this type.
     *
     * @param text any text
     * @return the data
     */
    public static ChunkData of(String text) {
        return of(ElementType.CHARACTER, text.getBytes(StandardCharsets.UTF_8), 1);
    }

    /**
     * Returns the type of the elements.
     *
     * @return the type
     */
    public ElementType type() {
        return type;
    }

    /**
     * Returns N, the number of rows.
     *
     * @return 0 or more
     */
    public int rows() {
        return Array.getLength(elements) / columns;
    }

    /**
     * Returns M, the number of columns.
     *
     * @return 1 or more
     */
    public int columns() {
        return columns;
    }

    /**
     * Returns the elements.
     *
     * @return the array of primitives itself
     */
    public Object array() {
        return elements;
    }

    /**
     * Returns elements of type float.
     *
     * @return the array itself
     * @throws IllegalArgumentException they are of another type
     */
    public float[] floats() {
        return as(float[].class);
    }

    /**
     * Returns elements of type double.
     *
     * @return the array itself
     * @throws IllegalArgumentException they are of another type
     */
    public double[] doubles() {
        return as(double[].class);
    }

    /**
     * Returns elements of type int32 or uint32.
     *
     * @return the array itself
     * @throws IllegalArgumentException they are of another type
     */
    public int[] ints() {
        return as(int[].class);
    }

    /**
     * Returns elements of type int64 or uint64.
     *
     * @return the array itself
     * @throws IllegalArgumentException they are of another type
     */
    public long[] longs() {
        return as(long[].class);
    }

    /**
     * Converts each element to the nearest double.
     *
     * @return a new array
     */
    public double[] toDoubles() {
        double[] numbers = new double[Array.getLength(elements)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = switch (type) {
                case UINT8, CHARACTER -> Byte.toUnsignedInt(Array.getByte(elements, i));
                case UINT16 -> Short.toUnsignedInt(Array.getShort(elements, i));
                case UINT32 -> Integer.toUnsignedLong(Array.getInt(elements, i));
                case UINT64 -> toDouble(Array.getLong(elements, i));
                default -> Array.getDouble(elements, i);
            };
        }
        return numbers;
    }

    /**
     * Converts an unsigned number. If it is too large for a signed one, halves it, keeps the lowest bit for rounding,
     * and doubles the result.
     */
    private static double toDouble(long unsigned) {
        return unsigned >= 0 ? unsigned : ((unsigned >>> 1) | (unsigned & 1)) * 2.0;
    }

    /**
     * Returns a text of type character.
     *
     * @return the text without NUL characters at its end; bytes that are not UTF-8 are replaced
     * @throws IllegalArgumentException the elements are of another type
     */
    public String text() {
        if (type != ElementType.CHARACTER) {
            throw new IllegalArgumentException("elements of type " + type.label() + " are no text");
        }
        return Elements.text(as(byte[].class));
    }

    private <T> T as(Class<T> array) {
        if (!array.isInstance(elements)) {
            throw new IllegalArgumentException(
                    "elements of type " + type.label() + " are not in a " + array.getSimpleName());
        }
        return array.cast(elements);
    }

    /** Returns the array as a buffer that {@link GsdFile#writeChunk} takes. */
    Buffer buffer() {
        return switch (type) {
            case UINT8, INT8, CHARACTER -> ByteBuffer.wrap(as(byte[].class));
            case UINT16, INT16 -> ShortBuffer.wrap(as(short[].class));
            case UINT32, INT32 -> IntBuffer.wrap(as(int[].class));
            case UINT64, INT64 -> LongBuffer.wrap(as(long[].class));
            case FLOAT -> FloatBuffer.wrap(as(float[].class));
            case DOUBLE -> DoubleBuffer.wrap(as(double[].class));
        };
    }
}
