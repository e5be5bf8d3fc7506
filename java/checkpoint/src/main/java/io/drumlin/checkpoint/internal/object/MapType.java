package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Maps, in the order in which they are iterated. */
final class MapType extends ValueType {

    private final Slot keys;
    private final Slot values;

    MapType(ValueType keys, ValueType values) {
        this.keys = new Slot(keys, true);
        this.values = new Slot(values, true);
    }

    @Override
    Schema schema() {
        return new Schema(Schema.MAP, List.of(), List.of(keys.schema(), values.schema()), false);
    }

    @Override
    void write(Object value, ObjectBytes out) {
        Map<?, ?> map = (Map<?, ?>) value;
        int size = map.size();
        out.putInt(size);
        int written = 0;
        for (Map.Entry<?, ?> each : map.entrySet()) {
            keys.write(each.getKey(), out);
            values.write(each.getValue(), out);
            written++;
        }
        CollectionType.requireWhole(Schema.MAP, written, size);
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        String key = "a key of " + where;
        ValueReader keyReader = keys.reader(stored.parts().get(0), key);
        ValueReader valueReader = values.reader(stored.parts().get(1), "a value of " + where);
        return in -> {
            int size = in.getLength(where, 2);
            Map<Object, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < size; i++) {
                map.put(keyReader.read(in), valueReader.read(in));
                if (map.size() == i) {
                    throw new IOException(key + " is there twice, as this program sees it");
                }
            }
            return map;
        };
    }
}
