package io.drumlin.checkpoint.internal.data;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.checkpoint.internal.object.ObjectForm;
import java.io.IOException;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A protected variable: its elements as little-endian bytes, their type, and what the program has said about it.
 *
 * <p>Any byte range can be copied, because a container may end inside an element. Not thread-safe.
 */
public final class ProtectedData {

    /** Hold the lengths of 100,000 arrays. */
    private static final int FIRST_BYTES = 1 << 20;

    private final Elements elements;
    private DataType type;
    private VariableName label = VariableName.NONE;
    private Optional<Distribution> distribution = Optional.empty();
    private DatasetDefinition dataset = DatasetDefinition.in(new RunGroup());

    ProtectedData(Elements elements) {
        this.elements = elements;
        type = elements.type();
    }

    /**
     * Returns the same variable with its bytes in other memory.
     *
     * @param parts parts of the memory in their order
     */
    ProtectedData in(List<ByteBuffer> parts) {
        ProtectedData copy = new ProtectedData(new PartElements(elements, parts)).as(type);
        copy.label(label);
        copy.dataset(dataset);
        return copy;
    }

    /**
     * Views {@code data} as bytes.
     *
     * @param data a primitive array, an array of such arrays, a buffer (from its position to its limit as they are now)
     *     or a {@link Scalar}
     * @throws IllegalArgumentException the class of {@code data} cannot be protected
     */
    public static ProtectedData of(Object data) {
        return new ProtectedData(elements(data));
    }

    /** Views the first {@code count} elements of {@code data} as bytes; otherwise like {@link #of(Object)}. */
    public static ProtectedData of(Object data, long count) {
        Elements all = elements(data);
        if (count < 0 || count > all.count()) {
            throw new IllegalArgumentException("count " + count + " is not in 0.." + all.count()
                    + ", the elements of this " + data.getClass().getSimpleName());
        }
        if (data instanceof Object[] && count < all.count()) {
            throw new IllegalArgumentException(
                    "count " + count + " is a part of the " + all.count() + " elements of this "
                            + data.getClass().getSimpleName() + ": an array of arrays is protected whole");
        }
        if (count == all.count()) {
            return new ProtectedData(all);
        }
        return new ProtectedData(
                all instanceof SegmentElements ? SegmentElements.of(data, count) : FlatElements.of(data, count));
    }

    private static Elements elements(@Nullable Object data) {
        if (data == null) {
            throw new IllegalArgumentException("cannot protect null: " + Elements.WHAT);
        }
        if (SegmentElements.isSegment(data)) {
            return SegmentElements.of(data);
        }
        return data instanceof Object[] arrays
                ? NestedElements.ofRectangular(arrays)
                : FlatElements.of(data, FlatElements.elements(data));
    }

    /**
     * Views an array of arrays of any lengths as bytes, which begin with the lengths.
     *
     * @throws IllegalArgumentException an array in it is null, or its elements are no primitives
     */
    public static ProtectedData ofRagged(Object[] arrays) {
        return new ProtectedData(RaggedElements.of(arrays));
    }

    /** Reads a stored variable. */
    @FunctionalInterface
    public interface StoredVariable {
        /** Copies its bytes into {@code target} and compares their digests. */
        void readInto(ProtectedData target) throws IOException;
    }

    /**
     * Returns a new array with the lengths that are stored in front of the elements of a variable.
     *
     * @param size bytes of the variable
     * @throws IllegalArgumentException no lengths are stored, or they are not those of an array of this class
     */
    public @SuppressWarnings("unchecked") // it is made of this class
    static <T> T[] newRaggedArray(T[] array, long size, StoredVariable stored) throws IOException {
        ByteBuffer first = head(size, FIRST_BYTES, stored);
        OptionalLong lengths = RaggedLengths.size(first, size);
        if (lengths.isEmpty() || lengths.getAsLong() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("it is stored without lengths: use reallocate(id, array)");
        }
        int bytes = (int) lengths.getAsLong();
        ByteBuffer all = bytes <= first.capacity() ? first : head(size, bytes, stored);
        int width = NestedElements.of(array).width();
        long elements = (size - bytes) % width == 0 ? (size - bytes) / width : -1;
        return (T[]) RaggedLengths.newArray(all.slice(0, bytes), array.getClass(), elements);
    }

    private static ByteBuffer head(long size, int most, StoredVariable stored) throws IOException {
        HeadElements head = new HeadElements(size, (int) Math.min(size, most));
        stored.readInto(new ProtectedData(head));
        return head.head();
    }

    /** Returns whether the bytes begin with the lengths of arrays. */
    public boolean isRagged() {
        return elements.isRagged();
    }

    /** Returns why the recovered bytes are of no use, in words; empty if they are. Called once after each recovery. */
    public Optional<String> problemOfRecovery() {
        return elements.problemOfRecovery();
    }

    /**
     * Views a field of a primitive type as bytes.
     *
     * @param lookup has access to the field
     * @param owner the object that has the field, or the class for a static field
     * @throws IllegalArgumentException there is no such field that can be set
     */
    public static ProtectedData ofField(Lookup lookup, Object owner, String field) {
        return new ProtectedData(FieldElement.of(lookup, owner, field));
    }

    /**
     * Views an object of the program as bytes.
     *
     * @param supplier returns the object when a checkpoint is taken
     * @param consumer gets the object when it is recovered
     * @throws IllegalArgumentException the codec describes what cannot be stored, or something is null
     */
    public static <T> ProtectedData ofObject(
            Supplier<? extends T> supplier, Consumer<? super T> consumer, Codec<T> codec) {
        if (supplier == null || consumer == null || codec == null) {
            throw new IllegalArgumentException(
                    "an object is protected with a supplier, a consumer and a codec, and one of them is null");
        }
        return new ProtectedData(new ObjectElements<>(supplier, consumer, new ObjectForm<>(codec)));
    }

    /**
     * Takes the objects that the program has now. Their sizes are known from then on, and their bytes do not change until
     * the next call.
     *
     * @throws IOException an object cannot be encoded
     */
    public static void prepare(Map<Integer, ProtectedData> variables) throws IOException {
        for (Map.Entry<Integer, ProtectedData> each : variables.entrySet()) {
            try {
                each.getValue().elements.prepare();
            } catch (Exception | StackOverflowError e) {
                throw DrumlinException.during("encoding variable " + each.getKey())
                        .problem(e.toString())
                        .advice("its supplier and its Codec must fit the object, and no thread changes it meanwhile")
                        .cause(e)
                        .exception();
            }
        }
    }

    /** Returns whether the variable is an object, whose size can be another one in each checkpoint. */
    public boolean isObject() {
        return elements.hasAnySize();
    }

    /** Returns whether so many stored bytes can be copied in. */
    public boolean takes(long stored) {
        return isObject() || stored == size();
    }

    /** Announces that so many stored bytes are going to be copied in; an object has this size from then on. */
    public void expect(long stored) {
        elements.expect(stored);
    }

    /** Sets the type of the elements in C. One or more elements of the Java type make up one element of this type. */
    public ProtectedData as(DataType given) {
        type = given;
        return this;
    }

    /** Returns the type of the elements in C; unless {@link #as} set it, the type that fits their Java type. */
    public DataType type() {
        return type;
    }

    /** Sets the names that the program gives the variable. */
    public void label(VariableName given) {
        label = given;
    }

    /** Sets where the variable is in a file of the mode HDF5. */
    public void dataset(DatasetDefinition given) {
        dataset = given;
    }

    /** Returns where the variable is in a file of the mode HDF5. */
    public DatasetDefinition dataset() {
        return dataset;
    }

    /** Sets how the ranks share the variable. */
    public void distribution(Optional<Distribution> given) {
        distribution = given;
    }

    /** Returns how the ranks share the variable, if the program has said so. */
    public Optional<Distribution> distribution() {
        return distribution;
    }

    /** Returns the names that the program gives the variable. */
    public VariableName label() {
        return label;
    }

    /**
     * Returns a new array of the class of {@code array} with {@code bytes} bytes. An array of arrays gets the stored
     * dimensions. If these do not fit, it gets those of {@code array}, and the first one follows from the bytes.
     *
     * @param stored the stored dimensions, or what the program has stored in their place
     * @throws IllegalArgumentException {@code array} is no array of primitives or of such arrays, or the bytes are not
     *     whole elements or whole arrays
     */
    public @SuppressWarnings("unchecked") // the component type is that of the argument
    static <T> T newArray(T array, long bytes, List<Long> stored) {
        ProtectedData pattern = of(array);
        List<Long> lengths = lengths(array.getClass(), bytes / pattern.width(), pattern.dimensions(), stored);
        boolean fits = !lengths.isEmpty() && lengths.stream().allMatch(each -> each <= Integer.MAX_VALUE);
        if (!fits || DatasetDefinition.product(lengths) * pattern.width() != bytes) {
            throw new IllegalArgumentException(
                    bytes + " bytes cannot be in a " + array.getClass().getTypeName()
                            + (pattern.dimensions().isEmpty() ? "" : " of the dimensions " + pattern.dimensions()));
        }
        Class<?> component = array.getClass();
        for (int depth = 0; depth < lengths.size(); depth++) {
            component = component.getComponentType();
        }
        return (T) Array.newInstance(
                component, lengths.stream().mapToInt(Math::toIntExact).toArray());
    }

    /** Returns the lengths of an array of that many elements, from the outermost to the innermost; empty if unknown. */
    private static List<Long> lengths(Class<?> array, long elements, List<Long> own, List<Long> stored) {
        int depth = 0;
        for (Class<?> each = array; each.isArray(); each = each.getComponentType()) {
            depth++;
        }
        if (stored.size() == depth && DatasetDefinition.product(stored) == elements) {
            return stored;
        }
        if (own.isEmpty()) {
            return depth == 1 || elements == 0 ? Collections.nCopies(depth, elements) : List.of();
        }
        List<Long> lengths = new ArrayList<>(own);
        lengths.set(0, elements / DatasetDefinition.product(own.subList(1, depth)));
        return lengths;
    }

    /** Returns the bytes of an element of the Java type. */
    public int width() {
        return elements.width();
    }

    public long size() {
        return elements.size();
    }

    /** Returns the dimensions of an array of arrays, the last varying fastest; empty for other variables. */
    public List<Long> dimensions() {
        return elements.dimensions();
    }

    /** Copies bytes from {@code offset} on into the remaining space of {@code target}, whatever its byte order. */
    public void copyOut(long offset, ByteBuffer target) {
        elements.copyOut(offset, target);
    }

    /**
     * Copies the remaining bytes of {@code source}, whatever its byte order, into the variable from {@code offset} on.
     */
    public void copyIn(long offset, ByteBuffer source) {
        elements.copyIn(offset, source);
    }

    /**
     * Changes one bit.
     *
     * @param bit number of the bit, counted over the bytes, the lowest bit of each byte first
     */
    void flipBit(long bit) {
        ByteBuffer one = ByteBuffer.allocate(1);
        copyOut(bit / Byte.SIZE, one);
        one.put(0, (byte) (one.get(0) ^ 1 << bit % Byte.SIZE));
        copyIn(bit / Byte.SIZE, one.flip());
    }

    /** Elements whose bytes lie in several buffers, one part after the other. */
    private static final class PartElements extends Elements {
        private final List<Long> dimensions;
        private final List<ByteBuffer> parts;

        /**
         * Describes the same elements in other memory.
         *
         * @param parts parts of the memory in their order
         */
        PartElements(Elements elements, List<ByteBuffer> parts) {
            super(elements.type(), elements.count());
            dimensions = elements.dimensions();
            this.parts = List.copyOf(parts);
        }

        @Override
        List<Long> dimensions() {
            return dimensions;
        }

        @Override
        void copyOut(long offset, ByteBuffer target) {
            each(offset, target, (part, from, length) -> target.put(target.position(), part, from, length));
        }

        @Override
        void copyIn(long offset, ByteBuffer source) {
            each(offset, source, (part, from, length) -> part.put(from, source, source.position(), length));
        }

        /** Work on the bytes of a part. */
        @FunctionalInterface
        private interface Work {
            void with(ByteBuffer part, int from, int length);
        }

        private void each(long offset, ByteBuffer bytes, Work work) {
            long position = offset;
            long end = offset + bytes.remaining();
            long start = 0;
            for (ByteBuffer part : parts) {
                long to = Math.min(end, start + part.capacity());
                if (position < to) {
                    int length = (int) (to - position);
                    work.with(part, (int) (position - start), length);
                    bytes.position(bytes.position() + length);
                    position = to;
                }
                start += part.capacity();
            }
        }
    }

    /** The first bytes of a stored variable; the others are dropped. */
    private static final class HeadElements extends Elements {

        private final ByteBuffer head;

        /** @param size bytes of the variable */
        HeadElements(long size, int kept) {
            super(ElementType.CHAR, size);
            head = ByteBuffer.allocate(kept);
        }

        /** Returns the first bytes, from position 0 on. */
        ByteBuffer head() {
            return head;
        }

        @Override
        void copyOut(long offset, ByteBuffer target) {
            throw new UnsupportedOperationException("only the first bytes of a stored variable are here");
        }

        @Override
        void copyIn(long offset, ByteBuffer source) {
            int length = (int) Math.max(0, Math.min(source.remaining(), head.capacity() - offset));
            if (length > 0) {
                head.put((int) offset, source, source.position(), length);
            }
            source.position(source.limit());
        }
    }
}
