package io.drumlin.checkpoint;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Maps a Java record to the C struct of the same fields, in the layout of C compilers on x86-64: each field starts at
 * the next multiple of its alignment, and the struct is padded to a multiple of the largest alignment. Components are
 * primitives, other records, and arrays of either, whose length {@link Dimensions} gives. Immutable; thread-safe.
 *
 * <pre>{@code
 * record Particle(double x, double y, @Dimensions(3) int[] cell) {}
 *
 * var layout = RecordLayout.of(Particle.class);
 * ByteBuffer particles = ByteBuffer.allocate(1000 * layout.size());
 * layout.put(particles, 7, new Particle(1.5, 2.5, new int[] {1, 2, 3}));
 * checkpoints.protect(1, particles, 1000, layout.type());
 * }</pre>
 *
 * <p>Only records are supported, because Java does not define the order of the fields of other classes.
 *
 * @param <R> the record
 */
public final class RecordLayout<R extends Record> {

    private static final Map<Class<?>, ElementType> PRIMITIVES = Map.of(
            boolean.class, ElementType.CHAR,
            byte.class, ElementType.CHAR,
            short.class, ElementType.SHRT,
            char.class, ElementType.USHT,
            int.class, ElementType.INTG,
            long.class, ElementType.LONG,
            float.class, ElementType.SFLT,
            double.class, ElementType.DBLE);

    private final Class<R> record;
    private final Constructor<R> constructor;
    private final List<Part> parts = new ArrayList<>();
    private final CompositeType type;
    private final int alignment;

    /** A component of the record and its offset in the struct. */
    private record Part(Method accessor, int offset, Content content) {}

    /** The content at an offset. */
    private interface Content {
        DataType type();

        int alignment();

        default int bytes() {
            return type().size();
        }

        Object get(ByteBuffer bytes, int at);

        void put(ByteBuffer bytes, int at, Object value);
    }

    /** @param around the records that contain this one */
    private RecordLayout(Class<R> record, Set<Class<?>> around) {
        this.record = record;
        Set<Class<?>> inside = new HashSet<>(around);
        if (!inside.add(record)) {
            throw refused(record, "it contains itself");
        }
        RecordComponent[] components = record.getRecordComponents();
        if (components.length == 0) {
            throw refused(record, "it has no components");
        }
        int end = 0;
        int largest = 1;
        for (RecordComponent component : components) {
            Content content = content(component, inside);
            int offset = roundUp(end, content.alignment());
            parts.add(new Part(accessor(component), offset, content));
            end = Math.addExact(offset, content.bytes());
            largest = Math.max(largest, content.alignment());
        }
        alignment = largest;
        type = new CompositeType(record.getSimpleName(), roundUp(end, alignment));
        for (int i = 0; i < components.length; i++) {
            addField(components[i], parts.get(i));
        }
        constructor = constructor(components);
    }

    /**
     * Returns the layout of a record.
     *
     * @param <R> the record
     * @param record its class
     * @return its layout; the name of the type is the simple name of the record
     * @throws IllegalArgumentException a component is of an unsupported class or is an array without
     *     {@link Dimensions}, there are too many components, or the module of the record does not open its package to
     *     this module
     */
    public static <R extends Record> RecordLayout<R> of(Class<R> record) {
        return new RecordLayout<>(record, Set.of());
    }

    private static int roundUp(int offset, int alignment) {
        return Math.multiplyExact((offset + alignment - 1) / alignment, alignment);
    }

    private void addField(RecordComponent component, Part part) {
        if (part.content instanceof ArrayContent array) {
            List<Long> dimensions = Arrays.stream(array.dimensions)
                    .mapToObj(each -> (long) each)
                    .toList();
            type.addVector(component.getName(), array.element.type(), part.offset, dimensions);
        } else {
            type.addScalar(component.getName(), part.content.type(), part.offset);
        }
    }

    private static Content content(RecordComponent component, Set<Class<?>> around) {
        Class<?> given = component.getType();
        if (!given.isArray()) {
            return scalar(component, given, around);
        }
        Dimensions dimensions = component.getAnnotation(Dimensions.class);
        if (dimensions == null || dimensions.value().length == 0) {
            throw refused(component, "its length is missing: write @Dimensions(n) before it");
        }
        Content element = scalar(component, given.getComponentType(), around);
        return new ArrayContent(given.getComponentType(), element, dimensions.value());
    }

    private static Content scalar(RecordComponent component, Class<?> given, Set<Class<?>> around) {
        ElementType primitive = PRIMITIVES.get(given);
        if (primitive != null) {
            return new PrimitiveContent(given, primitive);
        }
        if (given.isRecord()) {
            return new RecordContent<>(new RecordLayout<>(given.asSubclass(Record.class), around));
        }
        throw refused(component, "only primitives, records and arrays of either have a place in a C struct");
    }

    private static IllegalArgumentException refused(Object what, String why) {
        return new IllegalArgumentException(what + " cannot be laid out as a C struct: " + why);
    }

    private static Method accessor(RecordComponent component) {
        Method accessor = component.getAccessor();
        if (!accessor.trySetAccessible()) {
            throw refused(
                    component,
                    "its module does not open " + accessor.getDeclaringClass().getPackageName());
        }
        return accessor;
    }

    private Constructor<R> constructor(RecordComponent[] components) {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Constructor<R> canonical = record.getDeclaredConstructor(types);
            canonical.setAccessible(true);
            return canonical;
        } catch (NoSuchMethodException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /**
     * Returns the type of an element in a checkpoint.
     *
     * @return the type for {@link Checkpoints#protect(int, Object, long, DataType)}
     */
    public CompositeType type() {
        return type;
    }

    /**
     * Returns the size of an element.
     *
     * @return bytes, including padding
     */
    public int size() {
        return type.size();
    }

    /**
     * Reads an element.
     *
     * @param elements the elements, from the start of the buffer; position, limit and byte order do not matter
     * @param index index of the element, from 0
     * @return a new record
     * @throws IndexOutOfBoundsException there is no such element in the buffer's capacity
     * @throws IllegalArgumentException the constructor of the record refuses the values
     */
    public R get(ByteBuffer elements, int index) {
        return read(view(elements), start(elements, index));
    }

    /**
     * Writes an element; padding does not change.
     *
     * @param elements the elements, from the start of the buffer; position, limit and byte order do not matter
     * @param index index of the element, from 0
     * @param value the record
     * @throws IndexOutOfBoundsException there is no such element in the buffer's capacity
     * @throws IllegalArgumentException an array does not have the length that {@link Dimensions} gives
     */
    public void put(ByteBuffer elements, int index, R value) {
        write(view(elements), start(elements, index), value);
    }

    private static ByteBuffer view(ByteBuffer elements) {
        return elements.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
    }

    private int start(ByteBuffer elements, int index) {
        int count = elements.capacity() / size();
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException("element " + index + " of " + count + " of " + type);
        }
        return index * size();
    }

    private R read(ByteBuffer bytes, int start) {
        Object[] values = parts.stream()
                .map(part -> part.content.get(bytes, start + part.offset))
                .toArray();
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("no " + record.getName() + " of " + Arrays.deepToString(values), e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private void write(ByteBuffer bytes, int start, R value) {
        for (Part part : parts) {
            part.content.put(bytes, start + part.offset, component(part, value));
        }
    }

    private Object component(Part part, R value) {
        try {
            Object component = part.accessor.invoke(value);
            if (component == null) {
                throw new IllegalArgumentException(part.accessor.getName() + " of " + value + " is null");
            }
            return component;
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("no " + part.accessor.getName() + " of " + value, e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private record PrimitiveContent(Class<?> given, ElementType type) implements Content {

        @Override
        public int alignment() {
            return type.size();
        }

        @Override
        public Object get(ByteBuffer bytes, int at) {
            if (given == boolean.class) {
                return bytes.get(at) != 0;
            }
            return switch (type) {
                case SHRT -> bytes.getShort(at);
                case USHT -> bytes.getChar(at);
                case INTG -> bytes.getInt(at);
                case LONG -> bytes.getLong(at);
                case SFLT -> bytes.getFloat(at);
                case DBLE -> bytes.getDouble(at);
                default -> bytes.get(at);
            };
        }

        @Override
        public void put(ByteBuffer bytes, int at, Object value) {
            if (value instanceof Boolean flag) {
                bytes.put(at, (byte) (flag ? 1 : 0));
                return;
            }
            switch (type) {
                case SHRT -> bytes.putShort(at, (Short) value);
                case USHT -> bytes.putChar(at, (Character) value);
                case INTG -> bytes.putInt(at, (Integer) value);
                case LONG -> bytes.putLong(at, (Long) value);
                case SFLT -> bytes.putFloat(at, (Float) value);
                case DBLE -> bytes.putDouble(at, (Double) value);
                default -> bytes.put(at, (Byte) value);
            }
        }
    }

    private record RecordContent<N extends Record>(RecordLayout<N> layout) implements Content {

        @Override
        public DataType type() {
            return layout.type;
        }

        @Override
        public int alignment() {
            return layout.alignment;
        }

        @Override
        public Object get(ByteBuffer bytes, int at) {
            return layout.read(bytes, at);
        }

        @Override
        public void put(ByteBuffer bytes, int at, Object value) {
            layout.write(bytes, at, layout.record.cast(value));
        }
    }

    /** An array. This is not a record class, because a record would compare the array of dimensions by reference. */
    private static final class ArrayContent implements Content {
        private final Class<?> component;
        private final Content element;
        private final int[] dimensions;
        private final int length;

        ArrayContent(Class<?> component, Content element, int[] dimensions) {
            this.component = component;
            this.element = element;
            this.dimensions = dimensions;
            length = Arrays.stream(dimensions).reduce(1, Math::multiplyExact);
        }

        @Override
        public DataType type() {
            return element.type();
        }

        @Override
        public int alignment() {
            return element.alignment();
        }

        @Override
        public int bytes() {
            return Math.multiplyExact(length, element.bytes());
        }

        @Override
        public Object get(ByteBuffer bytes, int at) {
            Object array = Array.newInstance(component, length);
            for (int i = 0; i < length; i++) {
                Array.set(array, i, element.get(bytes, at + i * element.bytes()));
            }
            return array;
        }

        @Override
        public void put(ByteBuffer bytes, int at, Object value) {
            if (Array.getLength(value) != length) {
                throw new IllegalArgumentException(
                        "an array has " + Array.getLength(value) + " elements and @Dimensions says " + length);
            }
            for (int i = 0; i < length; i++) {
                @Nullable Object each = Array.get(value, i);
                if (each == null) {
                    throw new IllegalArgumentException("element " + i + " of an array is null");
                }
                element.put(bytes, at + i * element.bytes(), each);
            }
        }
    }
}
