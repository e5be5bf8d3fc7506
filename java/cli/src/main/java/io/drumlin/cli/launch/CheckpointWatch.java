package io.drumlin.cli.launch;

import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.cli.input.RunConfigs;
import io.drumlin.scr.internal.scavenge.Scavenge;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a job takes checkpoints: by the log in the metadata of its run (docs/formats/fti-run-directory.md, section
 * 12), and by the flush file of SCR, which is written when a dataset is complete (docs/formats/scr.md, section 8). What
 * cannot be read has not changed. Not thread-safe.
 */
final class CheckpointWatch {

    private static final String LOG = "drumlin-commits";

    private static final String STARTS = "drumlin-starts";

    private static final String COMMITTED = "committed ";

    /** In the line of a checkpoint that the run has not taken: a restart of a branch writes it, which is no progress. */
    private static final String TAKEN_BEFORE = " -1 ";

    private final List<Seen> committed = new ArrayList<>();
    private final List<Seen> moves = new ArrayList<>();

    /**
     * Looks for the first time.
     *
     * @param config the configuration file of a run, or null to see none
     * @param scr the prefix directory of a job of SCR, or null to see no datasets
     */
    CheckpointWatch(@Nullable Path config, @Nullable ScrPrefix scr) {
        if (config != null) {
            committed.add(new Seen(() -> committedIn(config)));
            moves.add(new Seen(() -> state(log(config))));
            moves.add(new Seen(() -> state(log(config).resolveSibling(STARTS))));
        }
        if (scr != null) {
            committed.add(new Seen(() -> latest(scr)));
            moves.add(new Seen(() -> state(scr.flush())));
        }
    }

    /** What is looked at. */
    @FunctionalInterface
    private interface State {
        /** Returns what is to be compared; empty if there is nothing yet. */
        Optional<String> now() throws IOException;
    }

    /** What was seen at the last look. */
    private static final class Seen {

        private final State state;
        private String last = "";

        Seen(State state) {
            this.state = state;
            changes();
        }

        boolean changes() {
            String before = last;
            try {
                last = state.now().orElse(before);
            } catch (IOException e) {
                return false;
            }
            return !last.equals(before);
        }
    }

    /**
     * Returns whether another checkpoint is known to be committed than at the last call. One that was begun may have
     * failed.
     */
    boolean hasNewSinceLastCall() {
        return anyChanges(committed);
    }

    /** Returns the checkpoint that the run's log names last, as committed or at all; empty if it names none. */
    static OptionalInt last(Path config, boolean asCommitted) {
        try {
            Optional<String> line = last(log(config), asCommitted ? COMMITTED : "");
            return line.isPresent()
                    ? OptionalInt.of(Integer.parseInt(line.get().split(" ", -1)[1]))
                    : OptionalInt.empty();
        } catch (IOException | NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    /**
     * Returns whether since the last call the run was opened, a checkpoint was begun or committed, or the flush file was
     * written.
     */
    boolean moves() {
        return anyChanges(moves);
    }

    private static boolean anyChanges(List<Seen> all) {
        boolean any = false;
        for (Seen each : all) {
            any |= each.changes();
        }
        return any;
    }

    private static Optional<String> latest(ScrPrefix scr) throws IOException {
        OptionalInt latest = new Scavenge(scr, new NioEngine()).latest();
        return latest.isPresent() ? Optional.of(Integer.toString(latest.getAsInt())) : Optional.empty();
    }

    private static Optional<String> committedIn(Path config) throws IOException {
        Path log = log(config);
        return last(log, COMMITTED).filter(line -> !line.contains(TAKEN_BEFORE)).map(line -> log + " " + line);
    }

    private static Optional<String> last(Path log, String event) throws IOException {
        return PathStatus.readText(log)
                .lines()
                .filter(line -> line.startsWith(event) && line.indexOf(' ') > 0)
                .reduce((first, second) -> second);
    }

    private static Optional<String> state(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return Optional.of(file + " " + attributes.size() + " " + attributes.lastModifiedTime());
    }

    /** Returns the log of the present run. Its path has the id of the run. */
    private static Path log(Path config) throws IOException {
        RunCatalogue run = RunConfigs.open(config);
        return run.metadata().resolve(run.execId()).resolve(LOG);
    }
}
