package io.drumlin.checkpoint.internal.staging;

import io.drumlin.checkpoint.StageRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file that {@link FileStaging} copies. Thread-safe. */
final class StageTransfer implements StageRequest {

    private final Path local;
    private final Path remote;
    private volatile State state = State.PENDING;
    private volatile @Nullable IOException failure;

    StageTransfer(Path local, Path remote) {
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

    @Override
    public Path local() {
        return local;
    }

    @Override
    public Path remote() {
        return remote;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }
}
