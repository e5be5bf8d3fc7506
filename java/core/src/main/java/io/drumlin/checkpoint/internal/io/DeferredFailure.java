package io.drumlin.checkpoint.internal.io;

import io.drumlin.comm.Agreement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The first that went wrong in an exchange with other ranks, held back until it is over: whatever it is must not keep this rank from the
 * next message. Not thread-safe.
 */
public final class DeferredFailure {

    private @Nullable Throwable failure;

    /** Runs a step unless one before has failed. */
    public void attempt(Agreement.Step step) {
        if (failure == null) {
            try {
                step.run();
            } catch (IOException | RuntimeException | Error e) {
                failure = e;
            }
        }
    }

    /** Takes note of what went wrong. */
    public void add(Throwable what) {
        failure = failure == null ? what : failure;
    }

    public boolean isThere() {
        return failure != null;
    }

    /**
     * Ends the exchange.
     *
     * @throws IOException the failure, as all others of their own kind
     */
    public void throwIfThere() throws IOException {
        Throwable first = failure;
        if (first instanceof IOException e) {
            throw e;
        } else if (first instanceof RuntimeException e) {
            throw e;
        } else if (first instanceof Error e) {
            throw e;
        }
    }
}
