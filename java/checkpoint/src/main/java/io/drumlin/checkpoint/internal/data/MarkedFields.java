package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.Checkpointed;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.SortedMap;
import java.util.TreeMap;

/** The fields of an object that are marked with {@link Checkpointed}. */
public final class MarkedFields {

    private MarkedFields() {}

    /**
     * Views the fields as bytes.
     *
     * @param lookup has access to the fields
     * @return the fields by name
     * @throws IllegalArgumentException there are none, or one of them cannot be protected
     */
    public static SortedMap<String, ProtectedData> of(Lookup lookup, Object owner) {
        SortedMap<String, ProtectedData> fields = new TreeMap<>();
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.isAnnotationPresent(Checkpointed.class)
                        && fields.put(field.getName(), view(lookup, owner, field)) != null) {
                    throw FieldElement.refused(field, "a subclass has a marked field of that name");
                }
            }
        }
        if (fields.isEmpty()) {
            throw new IllegalArgumentException(
                    "cannot protect fields of " + owner.getClass().getName() + ": none is marked with @Checkpointed");
        }
        return fields;
    }

    private static ProtectedData view(Lookup lookup, Object owner, Field field) {
        int modifiers = field.getModifiers();
        if (Modifier.isStatic(modifiers)) {
            throw FieldElement.refused(field, "it is static: call protect(id, lookup, class, field)");
        }
        if (field.getType().isPrimitive()) {
            return new ProtectedData(FieldElement.of(lookup, owner, field));
        }
        if (!Modifier.isFinal(modifiers)) {
            throw FieldElement.refused(
                    field,
                    "it is not final, and a checkpoint would store what it holds now: make it final, or call"
                            + " protect(id, ...) whenever it changes");
        }
        Object value = FieldElement.access(lookup, field).get(owner);
        if (value == null) {
            throw FieldElement.refused(field, "it is null");
        }
        try {
            return ProtectedData.of(value);
        } catch (IllegalArgumentException e) {
            throw FieldElement.refused(field, String.valueOf(e.getMessage()));
        }
    }
}
