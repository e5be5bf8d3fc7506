package io.drumlin.mpi;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicators;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Path;

/** A checkpoint fails on the ranks 1 and 2, and the program does not catch that. */
final class AgreedFailureProgram {

    private AgreedFailureProgram() {}

    public static void main(String[] arguments) throws IOException {
        Path config = Path.of(arguments[0]);
        Communicators.run(world -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            Checkpoints checkpoints = Checkpoints.builder(config)
                    .communicator(world)
                    .storage(storage)
                    .open();
            checkpoints.protect(1, new byte[1000]);
            if (world.rank() == 1 || world.rank() == 2) {
                storage.fail(Operation.WRITE, 1, "ENOSPC");
            }
            checkpoints.checkpoint(1, Level.L1);
        });
    }
}
