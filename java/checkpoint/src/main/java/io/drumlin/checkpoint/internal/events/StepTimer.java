package io.drumlin.checkpoint.internal.events;

import io.drumlin.checkpoint.Level;
import io.drumlin.comm.internal.SlowestRank;
import org.jspecify.annotations.Nullable;

/** Measures a step of this rank. Used by one thread at a time. */
public final class StepTimer {

    private final Step step;
    private final int rank;
    private final @Nullable FlightEvent event;
    private final long begin = System.nanoTime();
    private @Nullable SlowestRank slowest;
    private long nanos;

    /** Begins a step on a rank. */
    StepTimer(Step step, int rank) {
        this.step = step;
        this.rank = rank;
        event = FlightEvents.begin(step);
    }

    Step step() {
        return step;
    }

    /** Records which rank was the slowest in a part of the step. The slowest of all parts counts. */
    public void slowest(SlowestRank found) {
        SlowestRank before = slowest;
        if (before == null || before.nanos() < found.nanos()) {
            slowest = found;
        }
    }

    @Nullable
    SlowestRank slowest() {
        return slowest;
    }

    /**
     * Ends the step.
     *
     * @param ckptId id of the checkpoint, -1 if there is none
     * @param bytes bytes of this rank
     */
    public void end(int ckptId, Level level, long bytes) {
        nanos = System.nanoTime() - begin;
        if (event != null) {
            event.record(rank, ckptId, level.number(), bytes, slowest);
        }
    }

    double seconds() {
        return nanos / 1e9;
    }
}
