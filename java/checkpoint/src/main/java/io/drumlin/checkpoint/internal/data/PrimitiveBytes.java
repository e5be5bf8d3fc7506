package io.drumlin.checkpoint.internal.data;

import java.nio.ByteBuffer;

/** Boxed primitives as bytes, in the order of the buffer. */
final class PrimitiveBytes {

    private PrimitiveBytes() {}

    /** Appends a value to a buffer. */
    static void put(Object value, ByteBuffer target) {
        if (value instanceof Boolean bit) {
            target.put((byte) (bit ? 1 : 0));
        } else if (value instanceof Byte number) {
            target.put(number);
        } else if (value instanceof Short number) {
            target.putShort(number);
        } else if (value instanceof Character character) {
            target.putChar(character);
        } else if (value instanceof Integer number) {
            target.putInt(number);
        } else if (value instanceof Long number) {
            target.putLong(number);
        } else if (value instanceof Float number) {
            target.putFloat(number);
        } else {
            target.putDouble((Double) value);
        }
    }

    /** Reads a value of a primitive type from a buffer. */
    static Object get(Class<?> primitive, ByteBuffer source) {
        if (primitive == boolean.class) {
            return source.get() != 0;
        } else if (primitive == byte.class) {
            return source.get();
        } else if (primitive == short.class) {
            return source.getShort();
        } else if (primitive == char.class) {
            return source.getChar();
        } else if (primitive == int.class) {
            return source.getInt();
        } else if (primitive == long.class) {
            return source.getLong();
        } else if (primitive == float.class) {
            return source.getFloat();
        }
        return source.getDouble();
    }
}
