package io.drumlin.storage;

import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeMemory;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Aligned memory from the C core. What is filled once is given back by closing, the rest waits for the next who needs as much. */
final class NativeAlignedBuffer extends AlignedBuffer {

    private final long address;
    private final int size;
    private final boolean once;
    private @Nullable ByteBuffer memory;

    /** @param once whether it is filled once or seldom; else it is in huge pages where the kernel has them */
    NativeAlignedBuffer(int size, boolean once) {
        if (size <= 0) {
            throw new IllegalArgumentException("a buffer needs a size above 0, not " + size);
        }
        this.size = size;
        this.once = once;
        address = NativeMemory.make(
                size + " bytes of aligned memory",
                result -> once
                        ? CoreLibrary.drumlin_memory_allocate_once(result, size)
                        : CoreLibrary.drumlin_memory_allocate(result, size));
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
            if (once) {
                CoreLibrary.drumlin_memory_free(address);
            } else {
                CoreLibrary.drumlin_memory_recycle(address, size);
            }
        }
    }
}
