package io.drumlin.storage.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One file that all ranks of a communicator write together, or that one rank has opened alone. Not thread-safe.
 *
 * <p>Unless a rank has opened the file alone, all calls but {@link #size} are collective. Every rank makes them, each
 * for its own region, which may be empty.
 */
public interface SharedFile extends AutoCloseable {

    /** What a rank opens a file for. */
    enum Access {
        /** Reading a file that exists. */
        READ,
        /** Writing to a file that exists. */
        WRITE,
        /** Writing; a missing file is made. */
        CREATE
    }

    /**
     * Writes the remaining bytes of this rank's buffer. Collective.
     *
     * @param source its position and limit bound the bytes
     * @param offset byte offset in the file, 0 or above
     * @throws IOException not everything was written; on all ranks, if the ranks meet in this call
     */
    void writeAtAll(ByteBuffer source, long offset) throws IOException;

    /**
     * Reads into the remaining bytes of this rank's buffer, up to the end of the file. Collective.
     *
     * @param target its position and limit bound the bytes
     * @param offset byte offset in the file, 0 or above
     * @return number of bytes read: fewer than requested only at the end of the file
     * @throws IOException the bytes cannot be read; on all ranks, if the ranks meet in this call
     */
    int readAtAll(ByteBuffer target, long offset) throws IOException;

    /**
     * Returns the current length of the file. Not collective.
     *
     * @return length in bytes
     * @throws IOException the file system does not report it
     */
    long size() throws IOException;

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
