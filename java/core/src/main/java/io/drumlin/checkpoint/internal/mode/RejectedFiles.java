package io.drumlin.checkpoint.internal.mode;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.IoFailures;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Files that cannot be used. That one is missing or damaged is no failure of a restart: another place, file or level may have
 * the checkpoint. That one cannot be read now proves nothing: it is tried again, and then the restart ends, on all ranks, before
 * anything is changed. Used by one thread.
 */
public final class RejectedFiles {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Milliseconds before each further attempt at what may pass. */
    private static final int[] PAUSES = {10, 100};

    private final Communicator app;
    private final BiConsumer<Path, IOException> sink;
    private final boolean older;
    private final String operation;
    private final String advice;
    private @Nullable IOException unreadable;
    private boolean refusedAny;

    /**
     * No file has been refused yet.
     *
     * @param app the ranks that must not wait for one that met such a file
     * @param sink told of each file or directory and why it was refused
     * @param older whether what cannot be read counts as lost, and a checkpoint is taken that may be older
     */
    public RejectedFiles(Communicator app, BiConsumer<Path, IOException> sink, boolean older) {
        this(
                app,
                sink,
                older,
                "restart",
                "that may pass, and no checkpoint was deleted: mend the cause and start again; if the file is lost"
                        + " for good, [drumlin] on_unreadable = older goes on from another checkpoint, which may be older");
    }

    private RejectedFiles(
            Communicator app, BiConsumer<Path, IOException> sink, boolean older, String operation, String advice) {
        this.app = app;
        this.sink = sink;
        this.older = older;
        this.operation = operation;
        this.advice = advice;
    }

    /** Refusals that are warned of. */
    public static RejectedFiles logged(Communicator app, boolean older) {
        return new RejectedFiles(app, warning(app), older);
    }

    /** Those of a call that may be made again. What cannot be read never counts as lost. */
    public static RejectedFiles of(Communicator app, String operation) {
        return new RejectedFiles(
                app,
                warning(app),
                false,
                operation,
                "that may pass, and nothing was changed: mend the cause and try again");
    }

    private static BiConsumer<Path, IOException> warning(Communicator app) {
        return (path, refused) -> LOG.log(Logger.Level.WARNING, "rank {0}: {1}", app.rank(), refused.getMessage());
    }

    /**
     * Does something with a file.
     *
     * @param doing what, for the message of an unexpected failure
     * @param step what; done again when its failure may pass
     * @return whether it succeeded
     */
    public boolean succeeds(String doing, Path path, Agreement.Step step) {
        IOException refused = Agreement.attempt(app, doing + " " + path, step);
        for (int pause : PAUSES) {
            if (refused == null || !IoFailures.mayPass(refused)) {
                break;
            }
            LockSupport.parkNanos(pause * 1_000_000L);
            refused = Agreement.attempt(app, doing + " " + path, step);
        }
        if (refused != null) {
            refuse(doing, path, refused);
        }
        return refused == null;
    }

    /** Takes note of a failure that is not tried again. */
    public void refuse(String doing, Path path, IOException failure) {
        if (older || !IoFailures.mayPass(failure)) {
            refusedAny = true;
            sink.accept(path, failure);
        } else if (unreadable == null) {
            unreadable = unreadable(doing, path, failure);
        }
    }

    private IOException unreadable(String doing, Path path, IOException failure) {
        DrumlinException.Context context = DrumlinException.during(operation + ": " + doing)
                .rank(app.rank())
                .path(path)
                .cause(failure)
                .problem(String.valueOf(failure.getMessage()))
                .advice(advice);
        String errno = IoFailures.errno(failure);
        return (errno == null ? context : context.errno(errno)).exception();
    }

    /** Whether any file was refused on any rank, and is told of. Collective. */
    public boolean anyOnARank() throws IOException {
        long[] refused = {refusedAny ? 1 : 0};
        app.allreduce(refused, Communicator.Op.MAX);
        return refused[0] > 0;
    }

    /**
     * Ends the operation if any rank could not read what may be whole. Collective.
     *
     * @throws IOException on all ranks
     */
    public void requireReadable() throws IOException {
        IOException failure = unreadable;
        unreadable = null;
        Agreement.agree(app, operation, failure);
    }
}
