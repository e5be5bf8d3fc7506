package io.drumlin.checkpoint.internal.data;

import java.nio.ByteBuffer;
import java.util.List;

/** Elements whose bytes lie in several buffers, one part after the other. */
final class PartElements extends Elements {
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
