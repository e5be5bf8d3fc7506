package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the values of one stored type. */
@FunctionalInterface
interface ValueReader {

    /** Returns the next value. */
    @Nullable
    Object read(ObjectReader in) throws IOException;

    /** Returns what reads a value of which the program has no use; it returns null. */
    static ValueReader skipping(Schema stored) {
        ValueReader value = skippingValue(stored);
        return stored.nullable() ? in -> in.hasValue("a component") ? value.read(in) : null : value;
    }

    private static ValueReader skippingValue(Schema stored) {
        ValueReader[] parts = stored.parts().stream().map(ValueReader::skipping).toArray(ValueReader[]::new);
        if (stored.isArray()) {
            int width = stored.elementBytes();
            return in -> skip(in, (long) width * in.getLength("an array", width));
        }
        return switch (stored.kind()) {
            case Schema.STRING -> in -> skip(in, in.getLength("a string", 1));
            case Schema.ENUM -> in -> skip(in, Short.BYTES);
            case Schema.RECORD -> in -> skip(in, 1, parts);
            case Schema.LIST, Schema.SET, Schema.MAP -> in -> skip(in, in.getLength("a collection", 1), parts);
            default -> in -> skip(in, Schema.WIDTHS.getOrDefault(stored.kind(), 1));
        };
    }

    private static @Nullable Object skip(ObjectReader in, long bytes) throws IOException {
        in.skip(bytes);
        return null;
    }

    private static @Nullable Object skip(ObjectReader in, int times, ValueReader[] parts) throws IOException {
        for (int i = 0; i < times; i++) {
            for (ValueReader part : parts) {
                part.read(in);
            }
        }
        return null;
    }
}
