package io.drumlin.checkpoint.internal.object;

import io.drumlin.format.internal.PrimitiveArrays;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Arrays of primitives, which are stored a piece at a time. */
final class ArrayType extends ValueType {

    private static final int PIECE_BYTES = 1 << 12;

    private final Class<?> component;
    private final Schema schema;

    /** @param component a primitive */
    ArrayType(Class<?> component) {
        this.component = component;
        schema = Schema.of(component.getName() + "[]");
    }

    @Override
    Schema schema() {
        return schema;
    }

    @Override
    void write(Object value, ObjectBytes out) {
        int length = Array.getLength(value);
        out.putInt(length);
        byte[] bytes = piece(length);
        ByteBuffer piece = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int most = bytes.length / schema.elementBytes();
        for (int done = 0; done < length; done += most) {
            int count = Math.min(most, length - done);
            PrimitiveArrays.copyOut(value, done, count, piece);
            out.put(bytes, count * schema.elementBytes());
        }
    }

    private byte[] piece(int length) {
        return new byte[(int) Math.min(PIECE_BYTES, (long) length * schema.elementBytes())];
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        int width = schema.elementBytes();
        return in -> {
            int length = in.getLength(where, width);
            Object array = Array.newInstance(component, length);
            ByteBuffer piece = ByteBuffer.wrap(piece(length)).order(ByteOrder.LITTLE_ENDIAN);
            int most = piece.capacity() / width;
            for (int done = 0; done < length; done += most) {
                int count = Math.min(most, length - done);
                in.get(piece.clear().limit(count * width));
                PrimitiveArrays.copyIn(array, done, count, piece.flip());
            }
            return array;
        };
    }
}
