package io.drumlin.cli;

import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** Tells whether a run has taken checkpoints, by the log of commits in its metadata. Not thread-safe. */
final class CheckpointWatch {

    private static final String COMMITS = "drumlin-commits";

    private final @Nullable Path config;
    private String last = "";
    private String lastLook = "";

    /** @param config the configuration file, or null to see no checkpoints */
    CheckpointWatch(@Nullable Path config) {
        this.config = config;
        last = state();
        lastLook = last;
    }

    /** Returns whether a checkpoint was begun or committed since the last call of this method. */
    boolean hasNewSinceLastCall() {
        String state = state();
        boolean isNew = !state.equals(last);
        last = state;
        return isNew;
    }

    /** Returns whether a checkpoint was begun or committed since the last look. */
    boolean moves() {
        String state = state();
        boolean moves = !state.equals(lastLook);
        lastLook = state;
        return moves;
    }

    /** What cannot be read now has not changed. */
    private String state() {
        if (config == null) {
            return "";
        }
        try {
            IniFile ini = IniFile.parse(Files.readString(config, StandardCharsets.ISO_8859_1), config.toString());
            String execId = ini.get("restart", "exec_id").orElse("");
            Path directory = Path.of(ini.get("basic", "meta_dir").orElse(""), execId);
            Path commits = directory.resolve(COMMITS);
            FileTime time = Files.getLastModifiedTime(commits);
            return execId + " " + Files.size(commits) + " " + time;
        } catch (IOException e) {
            return lastLook;
        }
    }
}
