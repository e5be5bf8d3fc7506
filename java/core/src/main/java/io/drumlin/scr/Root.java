package io.drumlin.scr;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.IOException;

/** The first rank, which alone changes what is there once for a job. */
final class Root {

    private Root() {}

    /** Does a step on the first rank; when it fails all ranks are told. Collective. */
    static void run(Communicator world, String operation, Agreement.Step step) throws IOException {
        Agreement.run(world, operation, () -> {
            if (world.rank() == 0) {
                step.run();
            }
        });
    }
}
