package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file on its way from the node to the parallel file system. Thread-safe. */
public final class StageRequest {

    /** How far the file is. */
    public enum State {
        /** Waiting for others to be done. */
        PENDING,
        /** Being copied. */
        ACTIVE,
        /** Durable on the parallel file system, under its whole name. */
        DONE,
        /** Not there; the local file still is. */
        FAILED
    }

    private final Path local;
    private final Path remote;
    private volatile State state = State.PENDING;
    private volatile @Nullable IOException failure;

    StageRequest(Path local, Path remote) {
        this.local = local;
        this.remote = remote;
    }

    void active() {
        state = State.ACTIVE;
    }

    void done() {
        state = State.DONE;
    }

    void failed(IOException cause) {
        failure = cause;
        state = State.FAILED;
    }

    /**
     * The file to be copied.
     *
     * @return its path on the node
     */
    public Path local() {
        return local;
    }

    /**
     * The copy.
     *
     * @return its path on the parallel file system
     */
    public Path remote() {
        return remote;
    }

    /**
     * How far the file is.
     *
     * @return the state now
     */
    public State state() {
        return state;
    }

    /**
     * What went wrong.
     *
     * @return empty unless the state is {@link State#FAILED}
     */
    public Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }
}
