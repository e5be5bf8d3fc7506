package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * How a run ends before it has reached its goal: the keys {@code stop}, {@code stop_level}, {@code stop_margin}, {@code
 * halt_file} and {@code requeue} of {@code [drumlin]}.
 *
 * @param when from when on the run watches for signs of its end
 * @param level level of the last checkpoint
 * @param marginSeconds seconds to spare before the end of the allocation
 * @param haltFile the file that tells the run to stop; empty for the one beside the configuration file
 * @param requeue whether Slurm is told to queue the job again
 */
public record StopConfig(When when, Level level, int marginSeconds, Optional<Path> haltFile, boolean requeue) {

    private static final int DEFAULT_MARGIN = 30;
    private static final int MOST_MARGIN = 86_400;

    /** From when on a run watches for signs of its end. */
    public enum When {
        /** From the first question of the program on. */
        ASKED,
        /** From the opening on; after the last checkpoint a snapshot ends the process. */
        EXIT,
        /** Never. */
        NEVER
    }

    static StopConfig read(ConfigValues values) throws DrumlinException {
        int level = values.oneOf("drumlin", "stop_level", 4, "4, or 1 if what is on the nodes outlives the job", 1, 4);
        return new StopConfig(
                readWhen(values),
                Level.of(level),
                values.inRange("drumlin", "stop_margin", DEFAULT_MARGIN, 0, MOST_MARGIN),
                values.text("drumlin", "halt_file").isPresent()
                        ? Optional.of(values.path("drumlin", "halt_file"))
                        : Optional.empty(),
                values.bool("drumlin", "requeue", false));
    }

    private static When readWhen(ConfigValues values) throws DrumlinException {
        String value = values.get("drumlin", "stop").orElse("asked");
        try {
            return When.valueOf(value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw values.refused("drumlin", "stop", "asked, exit or never");
        }
    }
}
