package io.drumlin.fti;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state that C FTI keeps between the calls of an incremental checkpoint. Not thread-safe. */
final class IncrementalCalls {

    private boolean failed;
    private boolean inSingleFile;
    private @Nullable IncrementalCheckpoint open;

    /** Gives up an earlier checkpoint. From now on, calls do nothing. */
    void begin(Messages messages) {
        IncrementalCheckpoint earlier = open;
        open = null;
        failed = false;
        try {
            if (earlier != null) {
                earlier.close();
            }
        } catch (IOException e) {
            // Its remains do no harm, and this rank must not fall behind the others because of them.
            messages.warning("%s", String.valueOf(e.getMessage()));
        }
    }

    /** Makes calls work on a checkpoint from now on. If it cannot be begun, they fail. */
    void activate(boolean single, Beginning beginning) throws IOException {
        failed = true;
        inSingleFile = single;
        open = beginning.begin();
        failed = false;
    }

    /** Returns whether the checkpoint that was begun last goes into a shared HDF5 file. */
    boolean isInSingleFile() {
        return inSingleFile;
    }

    /** Begins a checkpoint. */
    @FunctionalInterface
    interface Beginning {
        IncrementalCheckpoint begin() throws IOException;
    }

    void add(int id) throws IOException {
        requireNoFailure();
        IncrementalCheckpoint begun = open;
        if (begun != null) {
            begun.add(id);
            if (begun.failure().isPresent()) {
                throw begun.failure().get();
            }
        }
    }

    /** Completes the checkpoint; returns empty if there is none. From now on, calls do nothing. */
    Optional<CheckpointReport> commit() throws IOException {
        IncrementalCheckpoint committing = open;
        open = null;
        try {
            requireNoFailure();
        } finally {
            failed = false;
        }
        return committing == null ? Optional.empty() : Optional.of(committing.commit());
    }

    private void requireNoFailure() {
        if (failed) {
            throw new IllegalStateException("the incremental checkpoint could not be begun: see the error before");
        }
    }
}
