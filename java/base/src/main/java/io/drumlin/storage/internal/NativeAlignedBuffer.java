package io.drumlin.storage.internal;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import io.drumlin.storage.AlignedBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Aligned memory from the C core. Closed memory is kept for the next caller that needs the same size. */
final class NativeAlignedBuffer extends AlignedBuffer {

    private final long address;
    private final int size;
    private @Nullable ByteBuffer memory;

    NativeAlignedBuffer(int size) {
        if (size <= 0) {
            throw new IllegalArgumentException("a buffer needs a size above 0, not " + size);
        }
        this.size = size;
        address = NativeMemory.make(
                size + " bytes of aligned memory", result -> CoreLibrary.drumlin_memory_allocate(result, size));
        memory = NativeMemory.view(address, size);
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
        if (memory != null) {
            memory = null;
            NativeFile.endTransfersOf(address, size);
            CoreLibrary.drumlin_memory_recycle(address, size);
        }
    }
}
