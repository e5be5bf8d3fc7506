package io.drumlin.cli;

import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a run takes checkpoints, by the log in its metadata (docs/formats/fti-run-directory.md, section 12). What
 * cannot be read has not changed. Not thread-safe.
 */
final class CheckpointWatch {

    private static final String LOG = "drumlin-commits";

    private static final String COMMITTED = "committed ";

    private final @Nullable Path config;
    private String lastState = "";
    private String lastCommitted = "";

    /** @param config the configuration file, or null to see no checkpoints */
    CheckpointWatch(@Nullable Path config) {
        this.config = config;
        moves();
        hasNewSinceLastCall();
    }

    /** A look at the log. */
    @FunctionalInterface
    private interface Look {
        /** Returns what is to be compared; empty if there is nothing yet. */
        Optional<String> at(Path log) throws IOException;
    }

    /**
     * Returns whether another checkpoint is known to be committed than at the last call. One that was begun may have
     * failed.
     */
    boolean hasNewSinceLastCall() {
        String before = lastCommitted;
        lastCommitted = look(CheckpointWatch::committed).orElse(before);
        return !lastCommitted.equals(before);
    }

    /** Returns whether a checkpoint was begun or committed since the last call. */
    boolean moves() {
        String before = lastState;
        lastState = look(CheckpointWatch::state).orElse(before);
        return !lastState.equals(before);
    }

    private static Optional<String> committed(Path log) throws IOException {
        return Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
                .filter(line -> line.startsWith(COMMITTED))
                .reduce((first, second) -> second);
    }

    private static Optional<String> state(Path log) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(log, BasicFileAttributes.class);
        return Optional.of(attributes.size() + " " + attributes.lastModifiedTime());
    }

    /** Returns what a look sees in the log of the present run, with the id of the run; empty if it cannot be read. */
    private Optional<String> look(Look look) {
        if (config == null) {
            return Optional.empty();
        }
        try {
            IniFile ini = IniFile.parse(Files.readString(config, StandardCharsets.ISO_8859_1), config.toString());
            String execId = ini.get("restart", "exec_id").orElse("");
            Path log = Path.of(ini.get("basic", "meta_dir").orElse(""), execId, LOG);
            return look.at(log).map(seen -> execId + " " + seen);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
