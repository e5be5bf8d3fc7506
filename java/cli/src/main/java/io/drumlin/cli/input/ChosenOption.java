package io.drumlin.cli.input;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The choice of a checkpoint of an FTI run. */
public final class ChosenOption {

    @Option(
            names = "--checkpoint",
            paramLabel = "ID",
            description = "The checkpoint of the run, as run list has it. Without this the one that a restart takes.")
    private @Nullable Integer ckptId;

    public boolean isGiven() {
        return ckptId != null;
    }

    /** Finds the run of a path with its chosen checkpoint; empty if the path is of no run. */
    public Optional<CheckpointDirectory> of(Path path, RunOption run) throws IOException {
        return choose(CheckpointDirectory.of(path, run), ckptId, path, "--checkpoint");
    }

    /**
     * Chooses a checkpoint of a run.
     *
     * @param ckptId null for the one that a restart takes
     * @param option the option that chooses it
     * @throws CommandException it is chosen, and there is no run
     */
    public static Optional<CheckpointDirectory> choose(
            Optional<CheckpointDirectory> run, @Nullable Integer ckptId, Path path, String option) {
        if (ckptId == null) {
            return run;
        }
        if (run.isEmpty()) {
            throw new CommandException(ExitCode.USAGE, option + " is for runs, and " + path + " is a file");
        }
        return Optional.of(run.get().choosing(ckptId));
    }
}
