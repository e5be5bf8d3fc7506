package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A file on its way from the node to the parallel file system. Thread-safe. */
public interface StageRequest {

    /** How far the file is. */
    enum State {
        /** Waiting for others to be done. */
        PENDING,
        /** Being copied. */
        ACTIVE,
        /** Durable on the parallel file system, under its whole name. */
        DONE,
        /** Not there; the local file still is. */
        FAILED
    }

    /**
     * The file to be copied.
     *
     * @return its path on the node
     */
    Path local();

    /**
     * The copy.
     *
     * @return its path on the parallel file system
     */
    Path remote();

    /**
     * How far the file is.
     *
     * @return the state now
     */
    State state();

    /**
     * What went wrong.
     *
     * @return empty unless the state is {@link State#FAILED}
     */
    Optional<IOException> failure();
}
