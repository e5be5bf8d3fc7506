package io.drumlin.storage;

import java.nio.ByteBuffer;

/**
 * Memory on a block boundary, in little-endian byte order, for direct transfers.
 *
 * <p>Not thread-safe. After {@link #close()} the buffer must not be used any more.
 */
public abstract class AlignedBuffer implements AutoCloseable {

    /** Boundary of all aligned memory in bytes: the page size, a multiple of every block device's sector. */
    public static final int ALIGNMENT = 4096;

    /** For use by the engines. */
    protected AlignedBuffer() {}

    /**
     * Returns the memory.
     *
     * @return the same direct little-endian buffer at every call; the caller may change its position and limit
     * @throws IllegalStateException after {@link #close()}
     */
    public abstract ByteBuffer buffer();

    /**
     * Waits for transfers between files and this memory that were started, and releases the memory. A second call does
     * nothing.
     */
    @Override
    public abstract void close();
}
