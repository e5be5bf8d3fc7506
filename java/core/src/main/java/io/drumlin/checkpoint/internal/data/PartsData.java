package io.drumlin.checkpoint.internal.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** A variable whose bytes lie in several buffers, one part after the other. */
final class PartsData extends ProtectedData {
    private final List<ByteBuffer> parts;

    /**
     * Creates the same variable with its bytes in other memory.
     *
     * @param parts parts of the memory in their order, each of whole elements
     */
    PartsData(ProtectedData variable, List<ByteBuffer> parts) {
        super(variable.width(), variable.type(), variable.count(), null, ByteOrder.LITTLE_ENDIAN);
        this.parts = List.copyOf(parts);
        label(variable.label());
        dataset(variable.dataset());
    }

    @Override
    void copyOut(int index, int elements, ByteBuffer target) {
        each(index, elements, (part, from, length) -> {
            target.put(target.position(), part, from, length);
            advance(target, length);
        });
    }

    @Override
    void copyIn(int index, int elements, ByteBuffer source) {
        each(index, elements, (part, from, length) -> {
            part.put(from, source, source.position(), length);
            advance(source, length);
        });
    }

    /** Work on the bytes of a part. */
    @FunctionalInterface
    private interface Work {
        void with(ByteBuffer part, int from, int length);
    }

    private void each(int index, int elements, Work work) {
        long position = (long) index * width();
        long end = position + (long) elements * width();
        long start = 0;
        for (ByteBuffer part : parts) {
            long to = Math.min(end, start + part.capacity());
            if (position < to) {
                work.with(part, (int) (position - start), (int) (to - position));
                position = to;
            }
            start += part.capacity();
        }
    }
}
