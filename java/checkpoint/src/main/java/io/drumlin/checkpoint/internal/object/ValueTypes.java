package io.drumlin.checkpoint.internal.object;

import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.internal.object.ValueType.Slot;
import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the types of values from what a codec describes. Not thread-safe. */
final class ValueTypes {

    private final Map<Class<?>, Codec<?>> own;

    /** The records around the present component. */
    private final Set<Class<?>> around = new LinkedHashSet<>();

    private ValueTypes(Map<Class<?>, Codec<?>> own) {
        this.own = own;
    }

    /**
     * Returns the type of the values that a codec describes.
     *
     * @throws IllegalArgumentException it describes what cannot be stored
     */
    static ValueType of(Codec<?> codec) {
        if (codec instanceof Codec.OfRecord<?> given) {
            return new ValueTypes(given.own()).record(given.type());
        } else if (codec instanceof Codec.OfList<?> list) {
            return new CollectionType(Schema.LIST, of(list.elements()));
        } else if (codec instanceof Codec.OfSet<?> set) {
            return new CollectionType(Schema.SET, of(set.elements()));
        } else if (codec instanceof Codec.OfMap<?, ?> map) {
            return new MapType(of(map.keys()), of(map.values()));
        } else if (codec instanceof Codec.Mapped<?, ?> mapped) {
            return new MappedType<>(of(mapped.stored()), mapped);
        }
        Class<?> type = ((Codec.OfValue<?>) codec).type();
        if (!isValue(type)) {
            throw new IllegalArgumentException(
                    type.isRecord()
                            ? "a record has the codec Codec.record(" + type.getSimpleName() + ".class)"
                            : "there is no codec for " + type.getTypeName()
                                    + ": store it as something else, with as(decoder, encoder)");
        }
        return value(type);
    }

    private static boolean isValue(Class<?> type) {
        boolean primitives = type.isArray() && type.getComponentType().isPrimitive();
        return type == String.class || type.isEnum() || primitives || ScalarType.knows(type);
    }

    private static ValueType value(Class<?> type) {
        if (type == String.class) {
            return new StringType();
        } else if (type.isEnum()) {
            return new EnumType(type);
        }
        return type.isArray() ? new ArrayType(type.getComponentType()) : ScalarType.of(type);
    }

    private RecordType record(Class<?> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type.getName() + " is no record");
        }
        if (!around.add(type)) {
            throw new IllegalArgumentException("the record " + type.getName()
                    + " contains itself: store a list of such records that refer to each other by number");
        }
        List<Slot> slots = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String where = type.getSimpleName() + "." + component.getName();
            slots.add(new Slot(
                    type(component.getGenericType(), where),
                    !component.getType().isPrimitive()));
        }
        around.remove(type);
        return new RecordType(type, slots);
    }

    private ValueType type(Type type, String where) {
        Class<?> raw = raw(type);
        Codec<?> given = own.get(raw);
        if (raw.isPrimitive()) {
            return ScalarType.of(MethodType.methodType(raw).wrap().returnType());
        } else if (given != null) {
            return of(given);
        } else if (isValue(raw)) {
            return value(raw);
        } else if (raw.isRecord() && type == raw) {
            return record(raw);
        }
        List<ValueType> parts = new ArrayList<>();
        if (type instanceof ParameterizedType of && (raw == List.class || raw == Set.class || raw == Map.class)) {
            for (Type each : of.getActualTypeArguments()) {
                parts.add(type(each, where));
            }
            return raw == Map.class
                    ? new MapType(parts.get(0), parts.get(1))
                    : new CollectionType(raw == List.class ? Schema.LIST : Schema.SET, parts.get(0));
        }
        throw new IllegalArgumentException(where + " is or contains a " + type.getTypeName()
                + ", for which there is no codec: give one, Codec.record(type, Map.of(" + raw.getSimpleName()
                + ".class, codec))");
    }

    /** Returns the class of a type; {@code Object} for a type variable or a wildcard. */
    private static Class<?> raw(Type type) {
        if (type instanceof ParameterizedType of) {
            return raw(of.getRawType());
        }
        return type instanceof Class<?> given ? given : Object.class;
    }

    /** Objects that are stored as others. */
    private static final class MappedType<T, U> extends ValueType {

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

    /** Constants of an enum. The schema has their names, so the program can put them in another order. */
    private static final class EnumType extends ValueType {

        private final Object[] constants;
        private final List<String> names;

        /** @param type class of an enum */
        EnumType(Class<?> type) {
            constants = type.getEnumConstants();
            names = Arrays.stream(constants)
                    .map(each -> ((Enum<?>) each).name())
                    .toList();
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
                    throw new IOException(
                            where + " is stored as " + stored.names().get(number)
                                    + ", and the enum has no such constant in this program: " + names);
                }
                return constant;
            };
        }
    }

    /** Maps, in the order in which they are iterated. */
    private static final class MapType extends ValueType {

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
}
