package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Constants of an enum. The schema has their names, so the program can put them in another order. */
final class EnumType extends ValueType {

    private final Object[] constants;
    private final List<String> names;

    /** @param type class of an enum */
    EnumType(Class<?> type) {
        constants = type.getEnumConstants();
        names = Arrays.stream(constants).map(each -> ((Enum<?>) each).name()).toList();
    }

    @Override
    Schema schema() {
        return new Schema(Schema.ENUM, names, List.of(), false);
    }

    @Override
    @SuppressWarnings("EnumOrdinal") // The names are stored in this order, too.
    void write(Object value, ObjectBytes out) {
        out.putShort(((Enum<?>) value).ordinal());
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        @Nullable
        Object[] byNumber = stored.names().stream()
                .map(name -> names.contains(name) ? constants[names.indexOf(name)] : null)
                .toArray();
        return in -> {
            int number = Short.toUnsignedInt(in.getShort());
            if (number >= byNumber.length) {
                throw new IOException(where + " is stored as constant " + number + " of " + byNumber.length);
            }
            Object constant = byNumber[number];
            if (constant == null) {
                throw new IOException(where + " is stored as " + stored.names().get(number)
                        + ", and the enum has no such constant in this program: " + names);
            }
            return constant;
        };
    }
}
