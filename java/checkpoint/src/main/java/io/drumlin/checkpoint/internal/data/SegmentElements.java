package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of a memory segment of Java 22 or later, which may be longer than a buffer. They are seen through buffers,
 * which the virtual machine lets fail if the memory is not there any more: its arena is closed, or its mapped file has
 * become shorter. Native code never touches them.
 */
final class SegmentElements extends Elements {

    private static final int FIRST_JAVA = 22;
    private static final String TYPE = "java.lang.foreign.MemorySegment";

    /** Bytes of each piece but the last; a multiple of all element sizes. */
    private static final long PIECE = 1L << 30;

    private final List<Elements> pieces;

    private SegmentElements(List<Elements> pieces, long bytes) {
        super(ElementType.CHAR, bytes);
        this.pieces = pieces;
    }

    /** The calls of the class, which is newer than the release for which Drumlin is compiled. */
    private static final class Calls {

        static final Class<?> SEGMENT = segment();
        static final MethodHandle SIZE = find("byteSize", long.class);
        static final MethodHandle READ_ONLY = find("isReadOnly", boolean.class);
        static final MethodHandle SLICE = find("asSlice", SEGMENT, long.class, long.class);
        static final MethodHandle BUFFER = find("asByteBuffer", ByteBuffer.class);
        static final MethodHandle ARRAY = find("heapBase", Optional.class);
        static final MethodHandle ADDRESS = find("address", long.class);

        private static Class<?> segment() {
            try {
                return Class.forName(TYPE);
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }

        private static MethodHandle find(String name, Class<?> result, Class<?>... parameters) {
            try {
                return MethodHandles.publicLookup()
                        .findVirtual(SEGMENT, name, MethodType.methodType(result, parameters));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(TYPE + "." + name, e);
            }
        }

        static Object call(MethodHandle method, Object... arguments) {
            try {
                return method.invokeWithArguments(arguments);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Returns whether a value is a memory segment. */
    static boolean isSegment(Object value) {
        if (Runtime.version().feature() < FIRST_JAVA) {
            return false;
        }
        return Calls.SEGMENT.isInstance(value);
    }

    /** Views the bytes of a memory segment. */
    static SegmentElements of(Object segment) {
        return of(segment, (long) Calls.call(Calls.SIZE, segment));
    }

    /**
     * Views the first bytes of a memory segment.
     *
     * @throws IllegalArgumentException the segment cannot be written
     */
    static SegmentElements of(Object segment, long bytes) {
        if ((boolean) Calls.call(Calls.READ_ONLY, segment)) {
            throw new IllegalArgumentException(
                    "cannot protect a read-only memory segment: a recovery must write into it");
        }
        Optional<?> array = (Optional<?>) Calls.call(Calls.ARRAY, segment);
        if (array.isPresent() && !(array.get() instanceof byte[])) {
            return ofArray(array.get(), (long) Calls.call(Calls.ADDRESS, segment), bytes);
        }
        List<Elements> pieces = new ArrayList<>();
        for (long from = 0; from < bytes; from += PIECE) {
            Object slice = Calls.call(Calls.SLICE, segment, from, Math.min(PIECE, bytes - from));
            ByteBuffer buffer = (ByteBuffer) Calls.call(Calls.BUFFER, slice);
            pieces.add(FlatElements.of(buffer, buffer.remaining()));
        }
        return new SegmentElements(pieces, bytes);
    }

    private static SegmentElements ofArray(Object array, long from, long bytes) {
        Elements all = FlatElements.of(array, FlatElements.elements(array));
        return new SegmentElements(List.of(new PartOfArray(all, from, bytes)), bytes);
    }

    @Override
    void copyOut(long offset, ByteBuffer target) {
        each(offset, target, Elements::copyOut);
    }

    @Override
    void copyIn(long offset, ByteBuffer source) {
        each(offset, source, Elements::copyIn);
    }

    /** Copies bytes of a piece. */
    @FunctionalInterface
    private interface Copy {
        void copy(Elements piece, long offset, ByteBuffer bytes);
    }

    private void each(long offset, ByteBuffer bytes, Copy copy) {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            eachPiece(offset, bytes, copy);
        } catch (IllegalStateException closed) {
            // If an arena is closed during a copy, the virtual machine interrupts the copying thread, too.
            if (!wasInterrupted) {
                Thread.interrupted();
            }
            throw closed;
        }
    }

    private void eachPiece(long offset, ByteBuffer bytes, Copy copy) {
        int end = bytes.limit();
        long position = offset;
        while (bytes.position() < end) {
            boolean one = pieces.size() == 1;
            Elements piece = pieces.get(one ? 0 : (int) (position / PIECE));
            long from = one ? position : position % PIECE;
            int length = (int) Math.min(end - bytes.position(), piece.size() - from);
            copy.copy(piece, from, bytes.limit(bytes.position() + length));
            bytes.limit(end);
            position += length;
        }
    }

    /** Bytes of an array. */
    private static final class PartOfArray extends Elements {

        private final Elements array;
        private final long start;

        PartOfArray(Elements array, long start, long bytes) {
            super(ElementType.CHAR, bytes);
            this.array = array;
            this.start = start;
        }

        @Override
        void copyOut(long offset, ByteBuffer target) {
            array.copyOut(start + offset, target);
        }

        @Override
        void copyIn(long offset, ByteBuffer source) {
            array.copyIn(start + offset, source);
        }
    }
}
