package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Takes a checkpoint in a thread while the rank computes, one checkpoint at a time
 * (docs/adr/007-checkpoints-behind-the-computation.md). Used by one thread of the program.
 */
final class CheckpointThread {

    /** Time for a thread to notice that its communicator has failed. */
    private static final int PATIENCE_SECONDS = 10;

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final int rank;
    private @Nullable FutureTask<CheckpointOutcome> task;

    CheckpointThread(int rank) {
        this.rank = rank;
    }

    boolean isUnderway() {
        return task != null;
    }

    void start(Callable<CheckpointOutcome> checkpoint) {
        FutureTask<CheckpointOutcome> started = new FutureTask<>(checkpoint);
        Thread thread = new Thread(started, "drumlin-checkpoint-" + rank);
        // If a program ends without closing the run, it leaves the same files as after a kill.
        thread.setDaemon(true);
        task = started;
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // No thread can be created. The threads of other ranks wait for this rank, so it runs the work itself.
            started.run();
        }
    }

    /**
     * Waits until the checkpoint is complete; returns empty if none is under way. Not collective.
     *
     * @throws IOException the checkpoint failed, on all ranks
     */
    Optional<CheckpointOutcome> await() throws IOException {
        FutureTask<CheckpointOutcome> running = task;
        if (running == null) {
            return Optional.empty();
        }
        task = null;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return Optional.of(running.get());
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw failure(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits a limited time for the end of the checkpoint, whose outcome is not needed; returns whether it has ended. */
    boolean abandon() {
        FutureTask<CheckpointOutcome> running = task;
        task = null;
        if (running == null) {
            return true;
        }
        try {
            running.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Logger.Level.DEBUG, "a checkpoint that was abandoned", e);
        }
        return running.isDone();
    }

    private IOException failure(ExecutionException ended) {
        Throwable thrown = ended.getCause();
        return thrown instanceof IOException told
                ? told
                : DrumlinException.during("the checkpoint behind the computation")
                        .rank(rank)
                        .cause(thrown == null ? ended : thrown)
                        .advice("the thread of this rank has died: the others may wait for it, so end the job")
                        .exception();
    }
}
