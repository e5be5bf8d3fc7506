package io.drumlin.cli;

import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Restored;
import io.drumlin.checkpoint.RunCatalogue.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The run of a job that {@code drumlin launch} starts, by its configuration file. Not thread-safe. */
final class LaunchedRun {

    private final Path config;

    /** The checkpoints that were stepped over. */
    private final Set<Integer> passed = new HashSet<>();

    LaunchedRun(Path config) {
        this.config = config;
    }

    /**
     * How the job starts next.
     *
     * @param execId the run
     * @param failure 0 for a fresh start, 1 and 2 for a restart
     */
    record Entry(String execId, int failure) {}

    /** Returns how the job starts next; null if the file cannot be read, which the log tells. */
    @Nullable
    Entry entry(LaunchLog events) throws IOException {
        try {
            RunCatalogue catalogue = RunConfigs.open(config);
            return new Entry(catalogue.execId(), catalogue.failure());
        } catch (IOException e) {
            events.write("config_unreadable", Map.of("error", String.valueOf(e.getMessage())));
            return null;
        }
    }

    /** Returns whether the run has come to its end; false if that cannot be told, and the log tells why. */
    boolean hasEnded(LaunchLog events) throws IOException {
        try {
            return RunConfigs.open(config).hasEnded();
        } catch (IOException e) {
            events.write("config_unreadable", Map.of("error", String.valueOf(e.getMessage())));
            return false;
        }
    }

    /**
     * Lets the next start begin with an older checkpoint than the newest, and than those that were passed before. It must be
     * seen from this machine.
     *
     * @return what was done; empty if there is no older one
     */
    Optional<Restored> stepOver() throws IOException {
        RunCatalogue catalogue = RunConfigs.open(config);
        String execId = catalogue.execId();
        while (execId != null) {
            Run run = catalogue.run(execId, false);
            if (run.isNamed()) {
                passed.add(CheckpointWatch.newest(config).orElseGet(() -> first(run)));
            }
            for (Checkpoint each : run.checkpoints()) {
                if (each.isRecoverable() && !passed.contains(each.ckptId())) {
                    return Optional.of(catalogue.restore(run.execId(), each.ckptId(), null));
                }
            }
            execId = run.parent();
        }
        return Optional.empty();
    }

    /** A branch that has recorded nothing yet has failed with the checkpoint with which it begins. */
    private static int first(Run run) {
        return run.checkpoints().isEmpty() ? -1 : run.checkpoints().get(0).ckptId();
    }
}
