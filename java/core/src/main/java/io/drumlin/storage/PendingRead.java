package io.drumlin.storage;

import java.io.IOException;

/** A read that was started by {@link BlockFile#startRead}. To be awaited once, by one thread. */
@FunctionalInterface
public interface PendingRead {

    /**
     * Waits until the bytes are in memory.
     *
     * @return bytes read: all that were asked, or fewer at the end of the file
     * @throws IOException the bytes cannot be read
     */
    int await() throws IOException;
}
