package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashSet;
import java.util.List;

/** Lists and sets, in the order in which they are iterated. */
final class CollectionType extends ValueType {

    private final String kind;
    private final Slot elements;

    /** @param kind list or set */
    CollectionType(String kind, ValueType elements) {
        this.kind = kind;
        this.elements = new Slot(elements, true);
    }

    @Override
    Schema schema() {
        return new Schema(kind, List.of(), List.of(elements.schema()), false);
    }

    @Override
    void write(Object value, ObjectBytes out) {
        Collection<?> values = (Collection<?>) value;
        int size = values.size();
        out.putInt(size);
        int written = 0;
        for (Object each : values) {
            elements.write(each, out);
            written++;
        }
        requireWhole(kind, written, size);
    }

    static void requireWhole(String kind, int written, int size) {
        if (written != size) {
            throw new ConcurrentModificationException("a " + kind + " of " + size + " elements has given " + written
                    + ": another thread changes it while it is stored");
        }
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        String each = "an element of " + where;
        ValueReader reader = elements.reader(stored.parts().get(0), each);
        boolean isSet = kind.equals(Schema.SET);
        return in -> {
            int size = in.getLength(where, 1);
            Collection<Object> values = isSet ? new LinkedHashSet<>() : new ArrayList<>();
            for (int i = 0; i < size; i++) {
                if (!values.add(reader.read(in))) {
                    throw new IOException(each + " is there twice, as this program sees it");
                }
            }
            return values;
        };
    }
}
