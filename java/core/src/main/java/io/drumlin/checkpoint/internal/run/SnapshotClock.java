package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.SnapshotPlan;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.util.Optional;

/**
 * Decides when a snapshot takes a checkpoint, and at which level. Times are converted to iterations by their mean
 * duration on all ranks, so that all ranks decide alike. Not thread-safe.
 */
interface SnapshotClock {

    /**
     * Counts an iteration. Collective.
     *
     * @return the level at which a checkpoint is due now
     */
    Optional<Level> tick(Communicator comm) throws IOException;

    /** Returns when a checkpoint may be due next, if the ranks agreed on it in the last tick. */
    Optional<SnapshotPlan> newPlan();

    /**
     * Records a checkpoint that was due, and excludes its time from the following iteration. Collective.
     *
     * @param seconds seconds that the checkpoint took on this rank
     */
    void taken(Communicator comm, Level level, double seconds) throws IOException;
}
