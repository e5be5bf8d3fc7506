package io.drumlin.checkpoint.internal.object;

import io.drumlin.checkpoint.Codec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of the objects of a codec: docs/formats/objects.md. Immutable.
 *
 * @param <T> the objects
 */
public final class ObjectForm<T> {

    private static final byte[] MAGIC = "drumlin object 1".getBytes(StandardCharsets.US_ASCII);

    private final ValueType type;
    private final byte[] schema;

    /** @throws IllegalArgumentException the codec describes what cannot be stored */
    public ObjectForm(Codec<T> codec) {
        type = ValueTypes.of(codec);
        String text = type.schema().toString();
        try {
            Schema.parse(text);
        } catch (IOException e) {
            throw new IllegalArgumentException("more than " + Schema.MOST_DEPTH + " types are within each other", e);
        }
        schema = text.getBytes(StandardCharsets.UTF_8);
    }

    /** Encodes an object, in place of what is in {@code target}. */
    public void encode(T value, ObjectBytes target) {
        target.clear();
        target.put(MAGIC, MAGIC.length);
        target.putLong(schema.length);
        target.put(schema, schema.length);
        type.write(value, target);
    }

    /**
     * Decodes an object.
     *
     * @throws IOException the bytes are no object of this codec; says why in words
     */
    @SuppressWarnings("unchecked") // the codec is for these objects
    public T decode(ObjectBytes source) throws IOException {
        ObjectReader in = new ObjectReader(source);
        ValueReader reader = type.reader(Schema.parse(header(in)), "the object");
        @Nullable Object value = reader.read(in);
        if (value == null || in.remaining() > 0) {
            throw new IOException("the object ends " + in.remaining() + " bytes too early");
        }
        return (T) value;
    }

    private static String header(ObjectReader in) throws IOException {
        byte[] magic = new byte[MAGIC.length];
        if (in.remaining() >= magic.length) {
            in.get(ByteBuffer.wrap(magic));
        }
        if (!Arrays.equals(magic, MAGIC)) {
            throw new IOException("it is stored, but not as an object with a Codec");
        }
        long length = in.getLong();
        if (length < 0 || length > in.remaining() || length > Integer.MAX_VALUE) {
            throw new IOException("its schema has " + length + " bytes and " + in.remaining() + " are left");
        }
        return StringType.text(in, (int) length, "its schema");
    }
}
