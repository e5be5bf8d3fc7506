package io.drumlin.checkpoint.internal.clock;

import io.drumlin.checkpoint.FtiCheckpoints.SnapshotPlan;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import java.io.IOException;
import java.util.Optional;

/**
 * Decides when a snapshot takes a checkpoint, and at which level. Times are converted to iterations by their mean
 * duration on all ranks, so that all ranks decide alike. Not thread-safe.
 */
public interface SnapshotClock {

    /** Adds a value over all ranks. Collective. */
    @FunctionalInterface
    interface Sum {
        long of(long value) throws IOException;
    }

    /**
     * Counts an iteration. Collective.
     *
     * @param sum adds over the ranks of {@code comm}
     * @return the level at which a checkpoint is due now
     */
    Optional<Level> tick(Communicator comm, Sum sum) throws IOException;

    /** Counts an iteration, with messages for nothing else. Collective. */
    default Optional<Level> tick(Communicator comm) throws IOException {
        return tick(comm, value -> {
            long[] sum = {value};
            comm.allreduce(sum, Op.SUM);
            return sum[0];
        });
    }

    /** Returns when a checkpoint may be due next, if the ranks agreed on it in the last tick. */
    Optional<SnapshotPlan> newPlan();

    /**
     * Records a checkpoint that was due, and excludes its time from the following iteration. Collective.
     *
     * @param seconds seconds that the checkpoint took on this rank
     */
    void taken(Communicator comm, Level level, double seconds) throws IOException;
}
