package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/** The elements of a protected variable as little-endian bytes. Not thread-safe. */
abstract class Elements {

    /** What can be protected, for messages. */
    static final String WHAT =
            "give an array of primitives, an array of such arrays, a java.nio buffer, a MemorySegment or a Scalar;"
                    + " an object needs a Codec";

    private final ElementType type;
    private final long count;

    /**
     * @param type the type in C of an element of Java
     * @param count number of the elements
     */
    Elements(ElementType type, long count) {
        this.type = type;
        this.count = count;
    }

    /** Returns the type in C of an element of Java. */
    final ElementType type() {
        return type;
    }

    /** Returns the bytes of an element. */
    final int width() {
        return type.size();
    }

    /** Returns the number of the elements; those of an object change when it is encoded. */
    long count() {
        return count;
    }

    final long size() {
        return width() * count();
    }

    /** Returns the dimensions of an array of arrays; empty if these elements are none. */
    List<Long> dimensions() {
        return List.of();
    }

    /** Returns whether the bytes begin with the lengths of arrays. */
    boolean isRagged() {
        return false;
    }

    /** Returns whether the size changes with what the program has, so that each stored size fits. */
    boolean hasAnySize() {
        return false;
    }

    /** Takes what the program has now, if that is not done when bytes are copied. */
    void prepare() {}

    /** Announces that so many stored bytes are going to be copied in. */
    void expect(long stored) {}

    /** Returns why the bytes that were copied in are of no use, in words; empty if they are. */
    Optional<String> problemOfRecovery() {
        return Optional.empty();
    }

    /** Copies bytes from {@code offset} on into the remaining space of {@code target}, whatever its byte order. */
    abstract void copyOut(long offset, ByteBuffer target);

    /** Copies the remaining bytes of {@code source}, whatever its byte order, into the elements from {@code offset} on. */
    abstract void copyIn(long offset, ByteBuffer source);
}
