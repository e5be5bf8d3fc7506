package io.drumlin.storage.internal;

import io.drumlin.storage.AlignedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Aligned memory from the JVM.
 *
 * <p>Closing drops the reference to the buffer. The garbage collector releases the memory once nobody else holds it;
 * the JVM forces a collection before direct memory runs out. If the memory were freed explicitly, a stray use of the
 * buffer would crash the process.
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
