package io.drumlin.storage;

import java.io.IOException;

/** A read that was started by {@link BlockFile#startRead}. One thread must await it, once. */
@FunctionalInterface
public interface PendingRead {

    /**
     * Waits until the bytes are in memory.
     *
     * @return number of bytes read: all requested bytes, or fewer at the end of the file
     * @throws IOException the bytes cannot be read
     */
    int await() throws IOException;
}
