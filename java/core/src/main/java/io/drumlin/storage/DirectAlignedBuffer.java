package io.drumlin.storage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Aligned memory from the JVM.
 *
 * <p>Closing forgets the buffer; the memory goes back when the collector has seen that nobody else holds it, which the JVM
 * forces before it lets direct memory run out. Freed by hand, a stray use of the buffer would crash the process.
 */
final class DirectAlignedBuffer extends AlignedBuffer {

    private @Nullable ByteBuffer memory;

    DirectAlignedBuffer(int size) {
        if (size <= 0) {
            throw new IllegalArgumentException("a buffer needs a size above 0, not " + size);
        }
        ByteBuffer raw = ByteBuffer.allocateDirect(Math.addExact(size, ALIGNMENT - 1));
        int start = -raw.alignmentOffset(0, ALIGNMENT) & (ALIGNMENT - 1);
        memory = raw.slice(start, size).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public ByteBuffer buffer() {
        if (memory == null) {
            throw new IllegalStateException("the buffer was closed");
        }
        return memory;
    }

    @Override
    public void close() {
        memory = null;
    }
}
