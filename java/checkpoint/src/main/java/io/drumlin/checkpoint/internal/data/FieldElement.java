package io.drumlin.checkpoint.internal.data;

import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The value of a field of the program: one element. */
final class FieldElement extends Elements {

    private final VarHandle field;
    private final @Nullable Object owner;
    private final Class<?> primitive;

    /** @param owner the object that has the field; {@code null} for a static field */
    private FieldElement(Elements one, VarHandle field, @Nullable Object owner) {
        super(one.type(), 1);
        this.field = field;
        this.owner = owner;
        primitive = field.varType();
    }

    /**
     * Views a field as bytes.
     *
     * @param owner the object that has the field, or the class for a static field
     * @throws IllegalArgumentException there is no such field of a primitive type, it is final, or {@code lookup} has no
     *     access to it
     */
    static FieldElement of(Lookup lookup, Object owner, String name) {
        return of(lookup, owner, find(owner instanceof Class<?> given ? given : owner.getClass(), name));
    }

    /**
     * Views a field as bytes.
     *
     * @throws IllegalArgumentException it has no primitive type, it is final, or {@code lookup} has no access to it
     */
    static FieldElement of(Lookup lookup, Object owner, Field found) {
        boolean isStatic = Modifier.isStatic(found.getModifiers());
        if (owner instanceof Class<?> && !isStatic) {
            throw refused(found, "it is not static: give the object that has it");
        }
        if (!found.getType().isPrimitive()) {
            throw refused(found, "it has no primitive type: protect what is in it");
        }
        VarHandle field = access(lookup, found);
        if (!field.isAccessModeSupported(AccessMode.SET)) {
            throw refused(found, "it is final, and a recovery must set it");
        }
        Elements one = FlatElements.ofArray(Array.newInstance(found.getType(), 1));
        return new FieldElement(one, field, isStatic ? null : owner);
    }

    /** Returns the field of a class or, if it has none of that name, of the nearest superclass that has one. */
    private static Field find(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            try {
                return each.getDeclaredField(name);
            } catch (NoSuchFieldException e) {
                // A superclass may have it.
            }
        }
        throw new IllegalArgumentException(
                "cannot protect a field " + name + ": " + type.getName() + " and its superclasses have none");
    }

    static VarHandle access(Lookup lookup, Field field) {
        try {
            return lookup.unreflectVarHandle(field);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(
                    "cannot protect " + words(field) + ": "
                            + lookup.lookupClass().getName()
                            + " has no access to it; call MethodHandles.lookup() in the class that has it",
                    e);
        }
    }

    private static String words(Field field) {
        return "the field " + field.getName() + " of "
                + field.getDeclaringClass().getName();
    }

    static IllegalArgumentException refused(Field field, String why) {
        return new IllegalArgumentException("cannot protect " + words(field) + ": " + why);
    }

    @Override
    void copyOut(long offset, ByteBuffer target) {
        int length = target.remaining();
        target.put(bytes().slice((int) offset, length));
    }

    @Override
    void copyIn(long offset, ByteBuffer source) {
        ByteBuffer bytes = bytes();
        bytes.position((int) offset).put(source);
        set(bytes.rewind());
    }

    private ByteBuffer bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(width()).order(ByteOrder.LITTLE_ENDIAN);
        Object value = owner == null ? (Object) field.get() : (Object) field.get(owner);
        PrimitiveBytes.put(value, bytes);
        return bytes.rewind();
    }

    private void set(ByteBuffer bytes) {
        Object value = PrimitiveBytes.get(primitive, bytes);
        if (owner == null) {
            field.set(value);
        } else {
            field.set(owner, value);
        }
    }
}
