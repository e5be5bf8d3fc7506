package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records, as their components in the order in which the program lists them. */
final class RecordType extends ValueType {

    private final String name;
    private final List<String> names;
    private final List<Slot> slots;
    private final MethodHandle[] accessors;
    private final MethodHandle constructor;

    /**
     * @param type class of a record
     * @param slots its components
     * @throws IllegalArgumentException the program does not let anybody read the record
     */
    RecordType(Class<?> type, List<Slot> slots) {
        this.slots = List.copyOf(slots);
        name = type.getSimpleName();
        RecordComponent[] components = type.getRecordComponents();
        names = Arrays.stream(components).map(RecordComponent::getName).toList();
        try {
            accessors = new MethodHandle[components.length];
            for (int i = 0; i < components.length; i++) {
                accessors[i] = accessor(components[i].getAccessor());
            }
            constructor = constructor(type, components);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "the record " + type.getName() + " cannot be read: its module must open the package "
                            + type.getPackageName() + " to io.drumlin.checkpoint",
                    e);
        }
    }

    private static MethodHandle accessor(Method method) throws IllegalAccessException {
        method.setAccessible(true);
        return MethodHandles.lookup().unreflect(method).asType(MethodType.genericMethodType(1));
    }

    private static MethodHandle constructor(Class<?> type, RecordComponent[] components)
            throws ReflectiveOperationException {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        Constructor<?> canonical = type.getDeclaredConstructor(types);
        canonical.setAccessible(true);
        return MethodHandles.lookup()
                .unreflectConstructor(canonical)
                .asSpreader(Object[].class, types.length)
                .asType(MethodType.methodType(Object.class, Object[].class));
    }

    @Override
    Schema schema() {
        return new Schema(Schema.RECORD, names, slots.stream().map(Slot::schema).toList(), false);
    }

    @Override
    void write(Object value, ObjectBytes out) {
        for (int i = 0; i < accessors.length; i++) {
            slots.get(i).write(component(value, i), out);
        }
    }

    private @Nullable Object component(Object value, int index) {
        try {
            return accessors[index].invokeExact(value);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(name + "." + names.get(index) + " cannot be read", e);
        }
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        int count = stored.parts().size();
        ValueReader[] readers = new ValueReader[count];
        int[] places = new int[count];
        for (int i = 0; i < count; i++) {
            Schema part = stored.parts().get(i);
            String component = stored.names().get(i);
            places[i] = names.indexOf(component);
            readers[i] = places[i] < 0
                    ? ValueReader.skipping(part)
                    : slots.get(places[i]).reader(part, name + "." + component);
        }
        @Nullable Object[] defaults = slots.stream().map(RecordType::zero).toArray();
        return in -> {
            @Nullable Object[] values = defaults.clone();
            for (int i = 0; i < readers.length; i++) {
                Object value = readers[i].read(in);
                if (places[i] >= 0) {
                    values[places[i]] = value;
                }
            }
            return make(values);
        };
    }

    private static @Nullable Object zero(Slot slot) {
        return !slot.nullable() && slot.type() instanceof ScalarType scalar ? scalar.zero() : null;
    }

    private Object make(@Nullable Object[] values) throws IOException {
        try {
            return constructor.invokeExact(values);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(
                    "the record " + name + " refuses its components " + Arrays.toString(values) + ": " + e, e);
        }
    }
}
