package io.drumlin.comm;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One file that all ranks of a communicator write together. Not thread-safe.
 *
 * <p>All calls are collective. Every rank makes them, each for its own region, which may be empty.
 */
public interface SharedFile extends AutoCloseable {

    /**
     * Writes the remaining bytes of this rank's buffer. Collective.
     *
     * @param source its position and limit bound the bytes
     * @param offset byte offset in the file, 0 or above
     * @throws IOException not everything was written; on all ranks, if the ranks meet in this call
     */
    void writeAtAll(ByteBuffer source, long offset) throws IOException;

    /**
     * Makes the written bytes durable. Collective.
     *
     * @throws IOException some bytes may not have reached the device; on all ranks, if the ranks meet in this call
     */
    void sync() throws IOException;

    /**
     * Closes the file; a second call does nothing. Collective.
     *
     * @throws IOException closing reported an error
     */
    @Override
    void close() throws IOException;
}
