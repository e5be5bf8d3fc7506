package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A file on its way from the node to the parallel file system. Thread-safe. */
public interface StageRequest {

    /** The state of a file under way. */
    enum State {
        /** The file waits for earlier files. */
        PENDING,
        /** The file is being copied. */
        ACTIVE,
        /** The copy is durable on the parallel file system and has its final name. */
        DONE,
        /** The copy failed; the local file still exists. */
        FAILED
    }

    /**
     * Returns the file to be copied.
     *
     * @return its path on the node
     */
    Path local();

    /**
     * Returns the copy.
     *
     * @return its path on the parallel file system
     */
    Path remote();

    /**
     * Returns how far the file is.
     *
     * @return the present state
     */
    State state();

    /**
     * Returns the reason of a failure.
     *
     * @return empty unless the state is {@link State#FAILED}
     */
    Optional<IOException> failure();
}
