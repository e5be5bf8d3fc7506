package io.drumlin.storage.internal.files;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.StorageEngine;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory for slabs of one size, through which data go to a device. Not thread-safe.
 *
 * <p>A transfer has at most 254 parts. Each part is contiguous in physical memory, so a slab of 1 MiB in pages of 4 KiB
 * takes two transfers. Such slabs are cut from huge pages.
 */
public final class SlabMemory implements AutoCloseable {

    private static final int HUGE_PAGE = 2 << 20;

    /** Smallest slab in bytes that may need more than one transfer. */
    private static final int LARGE = 1 << 20;

    private final StorageEngine storage;
    private final int slabBytes;
    private final int blockBytes;
    private final List<AlignedBuffer> blocks = new ArrayList<>();

    /** The rest of the last block. */
    private ByteBuffer free = ByteBuffer.allocate(0);

    /**
     * Makes the object without memory.
     *
     * @param storage allocates the memory
     * @param slabBytes size of a slab in bytes; a multiple of {@link AlignedBuffer#ALIGNMENT}
     */
    public SlabMemory(StorageEngine storage, int slabBytes) {
        this.storage = storage;
        this.slabBytes = slabBytes;
        blockBytes = slabBytes < LARGE ? slabBytes : Math.max(slabBytes, HUGE_PAGE);
    }

    /**
     * Returns another slab.
     *
     * @return aligned direct memory of the size of a slab, in little-endian order; it belongs to the caller until
     *     {@link #close}
     * @throws OutOfMemoryError there is no more memory
     */
    public ByteBuffer take() {
        if (free.remaining() < slabBytes) {
            AlignedBuffer block = storage.allocate(blockBytes);
            blocks.add(block);
            free = block.buffer().clear();
        }
        ByteBuffer slab = free.slice(free.position(), slabBytes).order(ByteOrder.LITTLE_ENDIAN);
        free.position(free.position() + slabBytes);
        return slab;
    }

    /** Releases all memory. New slabs can be taken afterwards. */
    @Override
    public void close() {
        blocks.forEach(AlignedBuffer::close);
        blocks.clear();
        free = ByteBuffer.allocate(0);
    }
}
