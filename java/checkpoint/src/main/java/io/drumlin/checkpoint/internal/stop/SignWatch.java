package io.drumlin.checkpoint.internal.stop;

import io.drumlin.checkpoint.internal.config.StopConfig;
import io.drumlin.internal.BatchSystem;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** The signs that one rank looks for: all ranks for signals, rank 0 for the time and the halt file. Not thread-safe. */
final class SignWatch implements StopSigns {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final @Nullable TimeLimit timeLimit;
    private final @Nullable Path haltFile;
    private final Runnable onTerm;
    private boolean closed;

    /**
     * Starts to look.
     *
     * @param haltFile file of the run, unless the configuration names another
     * @param checkpointSeconds what the last checkpoint is likely to take
     * @param onTerm what is done after SIGTERM, on a thread of its own
     */
    SignWatch(
            int rank,
            StopConfig config,
            Path haltFile,
            BatchSystem batch,
            DoubleSupplier checkpointSeconds,
            Runnable onTerm) {
        this.onTerm = onTerm;
        OptionalLong end = rank == 0 ? batch.end() : OptionalLong.empty();
        timeLimit = end.isEmpty()
                ? null
                : new TimeLimit(
                        end.getAsLong() - System.currentTimeMillis() / 1e3,
                        config.marginSeconds(),
                        checkpointSeconds,
                        System::nanoTime);
        this.haltFile = rank == 0 ? config.haltFile().orElse(haltFile) : null;
        ProcessSignals.listen(onTerm);
    }

    @Override
    public Optional<StopReason> seen() {
        if (isHalted()) {
            return Optional.of(StopReason.HALT_FILE);
        }
        return timeLimit != null && timeLimit.isNear() ? Optional.of(StopReason.TIME_LIMIT) : ProcessSignals.received();
    }

    private boolean isHalted() {
        try {
            return haltFile != null && PathStatus.exists(haltFile);
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "the halt file cannot be looked for now: {0}", e.getMessage());
            return false;
        }
    }

    /** Deletes the halt file, so that the next start gets on. */
    @Override
    public void obeyed() {
        try {
            if (haltFile != null) {
                Files.deleteIfExists(haltFile);
            }
        } catch (IOException e) {
            LOG.log(
                    Logger.Level.WARNING,
                    "{0} cannot be deleted, and stops the next start too: {1}",
                    haltFile,
                    e.toString());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            ProcessSignals.leave(onTerm);
        }
    }
}
