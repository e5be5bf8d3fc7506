package io.drumlin.checkpoint.internal.io;

import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The first failure in an exchange with other ranks, deferred until the exchange is over, because it must not keep this
 * rank from the next message. Not thread-safe.
 */
public final class DeferredFailure {

    private @Nullable Throwable failure;

    /** Runs a step unless an earlier step has failed. */
    public void attempt(Agreement.Step step) {
        if (failure == null) {
            try {
                step.run();
            } catch (Throwable e) {
                failure = e;
            }
        }
    }

    /** Adds a failure. */
    public void add(Throwable what) {
        failure = failure == null ? what : failure;
    }

    public boolean isThere() {
        return failure != null;
    }

    /**
     * Throws the failure, if there is one, at the end of the exchange.
     *
     * @throws IOException the failure; unchecked ones are thrown as they are
     */
    public void throwIfThere() throws IOException {
        Throwable first = failure;
        if (first instanceof IOException e) {
            throw e;
        } else if (first instanceof RuntimeException e) {
            throw e;
        } else if (first instanceof Error e) {
            throw e;
        } else if (first != null) {
            throw new IOException(first.toString(), first);
        }
    }
}
