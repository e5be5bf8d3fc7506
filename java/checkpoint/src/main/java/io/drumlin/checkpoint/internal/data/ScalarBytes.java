package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.Scalar;
import java.nio.ByteBuffer;

/** The values of {@link Scalar} holders as bytes, in the order of the buffer. */
final class ScalarBytes {

    private ScalarBytes() {}

    /** Appends the value of a scalar to a buffer. */
    static void copyOut(Scalar scalar, ByteBuffer target) {
        if (scalar instanceof Scalar.OfBoolean holder) {
            target.put((byte) (holder.value ? 1 : 0));
        } else if (scalar instanceof Scalar.OfByte holder) {
            target.put(holder.value);
        } else if (scalar instanceof Scalar.OfShort holder) {
            target.putShort(holder.value);
        } else if (scalar instanceof Scalar.OfChar holder) {
            target.putChar(holder.value);
        } else if (scalar instanceof Scalar.OfInt holder) {
            target.putInt(holder.value);
        } else if (scalar instanceof Scalar.OfLong holder) {
            target.putLong(holder.value);
        } else if (scalar instanceof Scalar.OfFloat holder) {
            target.putFloat(holder.value);
        } else if (scalar instanceof Scalar.OfDouble holder) {
            target.putDouble(holder.value);
        } else {
            throw new IllegalArgumentException("no such scalar: " + scalar.getClass());
        }
    }

    /** Sets the value of a scalar from a buffer. */
    static void copyIn(Scalar scalar, ByteBuffer source) {
        if (scalar instanceof Scalar.OfBoolean holder) {
            holder.value = source.get() != 0;
        } else if (scalar instanceof Scalar.OfByte holder) {
            holder.value = source.get();
        } else if (scalar instanceof Scalar.OfShort holder) {
            holder.value = source.getShort();
        } else if (scalar instanceof Scalar.OfChar holder) {
            holder.value = source.getChar();
        } else if (scalar instanceof Scalar.OfInt holder) {
            holder.value = source.getInt();
        } else if (scalar instanceof Scalar.OfLong holder) {
            holder.value = source.getLong();
        } else if (scalar instanceof Scalar.OfFloat holder) {
            holder.value = source.getFloat();
        } else if (scalar instanceof Scalar.OfDouble holder) {
            holder.value = source.getDouble();
        } else {
            throw new IllegalArgumentException("no such scalar: " + scalar.getClass());
        }
    }
}
