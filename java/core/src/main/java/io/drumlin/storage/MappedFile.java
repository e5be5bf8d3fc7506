package io.drumlin.storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A range of a file as memory to read, which the kernel fills without copying it anywhere, and keeps until this is closed. What others write
 * to the file meanwhile shows. Nobody may make the file shorter: touching what it had would end the process. Not thread-safe.
 */
public interface MappedFile extends AutoCloseable {

    /**
     * Starts to bring a part into memory and returns without waiting for it.
     *
     * @param offset in the file, bytes
     * @param length bytes, all of them in the range
     * @return the read; what it says is there may be looked at from then on
     * @throws IndexOutOfBoundsException not all of it is in the range
     * @throws IOException the read could not be started
     */
    PendingRead startRead(long offset, int length) throws IOException;

    /**
     * Where bytes lie, to be looked at as far as they were read, until {@link #close()}.
     *
     * @param offset in the file, bytes
     * @param length bytes, all of them in the range
     * @return a new direct little-endian buffer; writing to it would end the process
     * @throws IndexOutOfBoundsException not all of it is in the range
     */
    ByteBuffer view(long offset, int length);

    /** Waits for reads under way and gives the memory back, and the page cache's too; a second call does nothing. */
    @Override
    void close();
}
