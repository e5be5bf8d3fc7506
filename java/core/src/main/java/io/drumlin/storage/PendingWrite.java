package io.drumlin.storage;

import java.io.IOException;

/** A write that was started by {@link BlockFile#startWrite}. To be awaited once, by one thread. */
@FunctionalInterface
public interface PendingWrite {

    /**
     * Waits until all bytes of the write were taken by the kernel.
     *
     * @throws IOException the write failed; what part of it reached the file is unknown
     */
    void await() throws IOException;
}
