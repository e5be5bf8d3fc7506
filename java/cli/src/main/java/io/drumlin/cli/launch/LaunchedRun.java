package io.drumlin.cli.launch;

import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Restored;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.cli.input.RunConfigs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The run of a job that {@code drumlin launch} starts, by its configuration file. Not thread-safe. */
final class LaunchedRun {

    private final Path config;

    /** The checkpoints that were stepped over, by run and id. */
    private final Set<String> passed = new HashSet<>();

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
                pass(run, failed(run));
            }
            for (Checkpoint each : run.checkpoints()) {
                if (each.isRecoverable() && !passed.contains(name(execId, each.ckptId()))) {
                    return Optional.of(catalogue.restore(execId, each.ckptId(), null));
                }
            }
            execId = run.parent();
        }
        return Optional.empty();
    }

    /** A branch begins with a checkpoint of its parent, with which it fails like this. */
    private void pass(Run run, int ckptId) {
        passed.add(name(run.execId(), ckptId));
        if (ckptId == run.parentCkptId()) {
            passed.add(name(String.valueOf(run.parent()), ckptId));
        }
    }

    private static String name(String execId, int ckptId) {
        return execId + "/" + ckptId;
    }

    /** Returns the checkpoint with which restarts fail: the first that is whole here, unless nodes have a newer one. */
    private int failed(Run run) {
        int first = run.checkpoints().stream()
                .filter(Checkpoint::isRecoverable)
                .mapToInt(Checkpoint::ckptId)
                .findFirst()
                .orElse(-1);
        // After a kill the log does not say that the last one was committed.
        boolean isLast = CheckpointWatch.last(config, false).equals(OptionalInt.of(first));
        return isLast ? first : CheckpointWatch.last(config, true).orElse(first);
    }
}
