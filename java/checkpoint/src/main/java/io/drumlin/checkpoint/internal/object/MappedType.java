package io.drumlin.checkpoint.internal.object;

import io.drumlin.checkpoint.Codec;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Objects that are stored as others. */
final class MappedType<T, U> extends ValueType {

    private final ValueType stored;
    private final Codec.Mapped<T, U> mapped;

    MappedType(ValueType stored, Codec.Mapped<T, U> mapped) {
        this.stored = stored;
        this.mapped = mapped;
    }

    @Override
    Schema schema() {
        return stored.schema();
    }

    @Override
    @SuppressWarnings("unchecked") // the codec is for these objects
    void write(Object value, ObjectBytes out) {
        Object others = mapped.encoder().apply((U) value);
        stored.write(Objects.requireNonNull(others, "the encoder of a Codec has returned null"), out);
    }

    @Override
    ValueReader reader(Schema type, String where) throws IOException {
        ValueReader reader = stored.reader(type, where);
        return in -> decode(reader.read(in), where);
    }

    @SuppressWarnings("unchecked") // the reader is for these objects
    private Object decode(@Nullable Object value, String where) throws IOException {
        try {
            return Objects.requireNonNull(
                    mapped.decoder().apply((T) value), "the decoder of a Codec has returned null");
        } catch (Exception e) {
            throw new IOException(where + " is refused by its Codec: " + e, e);
        }
    }
}
