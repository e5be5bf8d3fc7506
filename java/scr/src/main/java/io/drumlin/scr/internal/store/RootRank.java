package io.drumlin.scr.internal.store;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;

/** Rank 0, which alone changes the files that exist once for a job. */
public final class RootRank {

    private RootRank() {}

    /**
     * Returns the result of a step on rank 0, and {@code elsewhere} on the other ranks. If the step fails, it fails on
     * all ranks. Collective.
     */
    public static <T> T call(Communicator world, String operation, T elsewhere, Agreement.Call<T> step)
            throws IOException {
        return Agreement.call(world, operation, () -> world.rank() == 0 ? step.call() : elsewhere);
    }

    /** Carries out a step on rank 0. If it fails, it fails on all ranks. Collective. */
    public static void run(Communicator world, String operation, Agreement.Step step) throws IOException {
        Agreement.run(world, operation, () -> {
            if (world.rank() == 0) {
                step.run();
            }
        });
    }
}
