package io.drumlin.checkpoint.internal.mode;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The files that cannot be used. A missing or damaged file does not make a restart fail, because another place, file or
 * level may have the checkpoint. A file that cannot be read now may still be whole: the read is repeated, and if it
 * keeps failing the restart ends, on all ranks, before anything is changed. Used by one thread.
 */
public final class RejectedFiles {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final String RESTART = "restart";

    /** What a restart can do without a file that a device cannot read. */
    private static final String WITHOUT_IT =
            "; if the file is lost for good, [drumlin] on_unreadable = older goes on from"
                    + " another checkpoint, which may be older";

    /** Milliseconds before each further attempt after an error that may pass. */
    private static final int[] PAUSES = {10, 100};

    private final Communicator app;
    private final BiConsumer<Path, IOException> sink;
    private final Predicate<IOException> counts;
    private final String operation;
    private final String advice;
    private @Nullable IOException unreadable;
    private boolean refusedAny;

    /**
     * Creates an empty list in which each failure counts, for a look at a run that changes nothing.
     *
     * @param app the ranks that must not wait for a rank that met such a file
     * @param sink receives each rejected file or directory, and the reason
     */
    public RejectedFiles(Communicator app, BiConsumer<Path, IOException> sink) {
        this(app, sink, failure -> true, "looking at the run", "");
    }

    private RejectedFiles(
            Communicator app,
            BiConsumer<Path, IOException> sink,
            Predicate<IOException> counts,
            String operation,
            String advice) {
        this.app = app;
        this.sink = sink;
        this.counts = counts;
        this.operation = operation;
        this.advice = advice;
    }

    /**
     * Returns a list that logs a warning for each rejected file.
     *
     * @param older whether a file that a device cannot read counts as lost, so that the restart may use an older
     *     checkpoint
     */
    public static RejectedFiles logged(Communicator app, boolean older) {
        return new RejectedFiles(
                app,
                warning(app),
                failure -> !IoFailures.mayPass(failure) || (older && !isOfProgram(failure)),
                RESTART,
                "the file may be whole, and no checkpoint was deleted: mend the cause and start again");
    }

    /** Returns a list for an operation that can be repeated, in which an unreadable file never counts as lost. */
    public static RejectedFiles of(Communicator app, String operation) {
        return new RejectedFiles(
                app,
                warning(app),
                failure -> !IoFailures.mayPass(failure),
                operation,
                "the file may be whole, and nothing was changed: mend the cause and try again");
    }

    private static BiConsumer<Path, IOException> warning(Communicator app) {
        return (path, refused) -> LOG.log(Logger.Level.WARNING, "rank {0}: {1}", app.rank(), refused.getMessage());
    }

    /** Returns whether memory of the program is the cause, without which each file fails. */
    private static boolean isOfProgram(IOException failure) {
        return "EFAULT".equals(IoFailures.errno(failure));
    }

    /**
     * Runs a step on a file.
     *
     * @param doing what the step does, for the message of an unexpected failure
     * @param step the step; repeated if its failure may pass
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

    /** Records a failure after which the step is not repeated. */
    public void refuse(String doing, Path path, IOException failure) {
        if (counts.test(failure)) {
            refusedAny = true;
            sink.accept(path, failure);
        } else if (unreadable == null) {
            unreadable = unreadable(doing, path, failure);
        }
    }

    private IOException unreadable(String doing, Path path, IOException failure) {
        boolean lost = operation.equals(RESTART) && !isOfProgram(failure);
        DrumlinException.Context context = DrumlinException.during(operation + ": " + doing)
                .rank(app.rank())
                .path(path)
                .cause(failure)
                .problem(String.valueOf(failure.getMessage()))
                .advice(lost ? advice + WITHOUT_IT : advice);
        String errno = IoFailures.errno(failure);
        return (errno == null ? context : context.errno(errno)).exception();
    }

    /** Returns whether any file was rejected and reported on any rank. Collective. */
    public boolean anyOnARank() throws IOException {
        return Agreement.any(app, refusedAny);
    }

    /**
     * Throws if any rank could not read a file that may be whole. Collective.
     *
     * @throws IOException on all ranks
     */
    public void requireReadable() throws IOException {
        IOException failure = unreadable;
        unreadable = null;
        Agreement.agree(app, operation, failure);
    }
}
