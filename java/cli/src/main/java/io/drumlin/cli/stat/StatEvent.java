package io.drumlin.cli.stat;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a log or a recording says about an event of a run.
 *
 * @param kind the kind of event in the log
 * @param begin seconds since 1970 at which it began
 * @param seconds how long it took
 * @param level 0 if it has none
 * @param stall seconds for which the program stood still
 * @param steps the measured steps of a checkpoint
 * @param text what else is known, for people
 */
record StatEvent(
        String kind,
        int rank,
        double begin,
        double seconds,
        int id,
        int level,
        boolean differential,
        long bytes,
        double stall,
        List<Step> steps,
        String text) {

    /**
     * A step of a checkpoint.
     *
     * @param slowest the slowest rank; null if it is not known
     * @param most seconds of the slowest rank
     */
    record Step(String name, double seconds, @Nullable Integer slowest, double most) {}

    double end() {
        return begin + seconds;
    }

    boolean isCheckpoint() {
        return kind.equals("checkpoint");
    }

    /** Returns the name of the level for people. */
    String levelName() {
        return "L" + level + (differential ? " dCP" : "");
    }
}
