package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lengths and then the elements of a ragged array, as bytes. */
final class RaggedElements extends Elements {

    private final ByteBuffer lengths;
    private final NestedElements elements;
    private final String name;

    /** The lengths that a recovery has read. */
    private @Nullable ByteBuffer read;

    private RaggedElements(ByteBuffer lengths, NestedElements elements, String name) {
        super(ElementType.CHAR, Math.addExact(lengths.capacity(), elements.size()));
        this.lengths = lengths;
        this.elements = elements;
        this.name = name;
    }

    /**
     * Views an array of arrays with its lengths.
     *
     * @throws IllegalArgumentException an array in it is null, or its elements are no primitives
     */
    static RaggedElements of(Object[] arrays) {
        NestedElements elements = NestedElements.of(arrays);
        return new RaggedElements(
                RaggedLengths.of(arrays), elements, arrays.getClass().getSimpleName());
    }

    @Override
    boolean isRagged() {
        return true;
    }

    @Override
    void copyOut(long offset, ByteBuffer target) {
        int head = head(offset, target);
        if (head > 0) {
            target.put(lengths.slice((int) offset, head));
        }
        elements.copyOut(offset + head - lengths.capacity(), target);
    }

    /** The lengths are compared later, because what is read may be damaged, and is read once more then. */
    @Override
    void copyIn(long offset, ByteBuffer source) {
        int head = head(offset, source);
        if (head > 0) {
            ByteBuffer stored = read == null ? ByteBuffer.allocate(lengths.capacity()) : read;
            stored.put((int) offset, source, source.position(), head);
            source.position(source.position() + head);
            read = stored;
        }
        elements.copyIn(offset + head - lengths.capacity(), source);
    }

    /** Returns how many of the remaining bytes belong to the lengths. */
    private int head(long offset, ByteBuffer bytes) {
        return (int) Math.max(0, Math.min(bytes.remaining(), lengths.capacity() - offset));
    }

    @Override
    Optional<String> problemOfRecovery() {
        ByteBuffer stored = read;
        read = null;
        return stored == null || stored.equals(lengths)
                ? Optional.empty()
                : Optional.of("the stored lengths are not those of the protected " + name);
    }
}
