package io.drumlin.checkpoint.internal.events;

import java.util.Locale;

/** What is measured of checkpoints and restarts. */
public enum Step {
    /** A whole checkpoint, from the call until it is in its place. */
    CHECKPOINT,
    /** Writing this rank's file. */
    WRITE,
    /** Sending the partner copy, or computing the Reed-Solomon code. */
    EXCHANGE,
    /** Putting the checkpoint into its place on all nodes. */
    COMMIT,
    /** Finding a checkpoint at a restart, or reading it into the variables. */
    RECOVER,
    /** Sending or computing lost files. */
    REBUILD;

    /** Returns the name in the log. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
