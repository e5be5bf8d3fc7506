package io.drumlin.checkpoint.internal.events;

import io.drumlin.comm.internal.SlowestRank;
import org.jspecify.annotations.Nullable;

/** An event of the JDK Flight Recorder that has begun. Its end may be in another thread. */
@FunctionalInterface
interface FlightEvent {

    /**
     * Ends the event and records it.
     *
     * @param level 1 to 4
     * @param slowest the slowest rank; null if the ranks did not meet
     */
    void record(int rank, int ckptId, int level, long bytes, @Nullable SlowestRank slowest);
}
