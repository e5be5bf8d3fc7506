package io.drumlin.checkpoint.internal.object;

import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.internal.object.ValueType.Slot;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
}
