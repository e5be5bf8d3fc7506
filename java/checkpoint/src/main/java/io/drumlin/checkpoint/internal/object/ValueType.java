package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** How the values of a type of the program are stored. Immutable. */
abstract class ValueType {

    /** Returns the stored type, without null. */
    abstract Schema schema();

    /** Appends a value. */
    abstract void write(Object value, ObjectBytes out);

    /**
     * Returns what reads stored values of this type.
     *
     * @param stored their type when they were stored
     * @param where what they are, for messages
     * @throws IOException they are of another type
     */
    abstract ValueReader reader(Schema stored, String where) throws IOException;

    /** Fails if values of another kind were stored. */
    final void requireKind(Schema stored, String where) throws IOException {
        if (!stored.kind().equals(schema().kind())) {
            throw new IOException(
                    where + " is stored as " + stored.withNull(false) + ", and is " + schema() + " in this program");
        }
    }

    /**
     * A place in another value.
     *
     * @param nullable whether the value may be null there
     */
    record Slot(ValueType type, boolean nullable) {

        Schema schema() {
            return type.schema().withNull(nullable);
        }

        void write(@Nullable Object value, ObjectBytes out) {
            if (nullable) {
                out.put(value == null ? 0 : 1);
            }
            if (value != null) {
                type.write(value, out);
            }
        }

        ValueReader reader(Schema stored, String where) throws IOException {
            ValueReader value = type.reader(stored.withNull(false), where);
            return stored.nullable() ? in -> in.hasValue(where) ? value.read(in) : none(where) : value;
        }

        private @Nullable Object none(String where) throws IOException {
            if (!nullable) {
                throw new IOException(where + " is stored as null, and is " + schema() + " in this program");
            }
            return null;
        }
    }
}
