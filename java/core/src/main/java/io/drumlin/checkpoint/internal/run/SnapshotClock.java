package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.SnapshotPlan;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.util.Optional;

/**
 * Decides when a snapshot takes a checkpoint and at which level. Times are counted in iterations, by their mean duration on all
 * ranks, so that all ranks decide alike. Not thread-safe.
 */
interface SnapshotClock {

    /**
     * Counts an iteration. Collective.
     *
     * @return the level at which a checkpoint is due now
     */
    Optional<Level> tick(Communicator comm) throws IOException;

    /** When a checkpoint may be due next, if the ranks agreed on that in the last tick. */
    Optional<SnapshotPlan> newPlan();

    /**
     * Takes note of a checkpoint that was due, and leaves its time out of the iteration that follows. Collective.
     *
     * @param seconds what it took on this rank
     */
    void taken(Communicator comm, Level level, double seconds) throws IOException;
}
