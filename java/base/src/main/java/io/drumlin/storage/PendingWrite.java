package io.drumlin.storage;

import java.io.IOException;

/** A write that was started by {@link BlockFile#startWrite}. One thread must await it, once. */
@FunctionalInterface
public interface PendingWrite {

    /**
     * Waits until the kernel has taken all bytes of the write.
     *
     * @throws IOException the write failed; any part of it may have reached the file
     */
    void await() throws IOException;
}
