package io.drumlin.examples;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicators;
import java.nio.file.Path;
import java.util.Arrays;

/** The program of the README: the smallest program that survives a kill. */
public final class FirstCheckpoint {

    private FirstCheckpoint() {}

    /**
     * Runs the example.
     *
     * @param arguments the path of the FTI configuration file
     * @throws Exception the example failed
     */
    public static void main(String[] arguments) throws Exception {
        Usage.require(arguments, 1, "FirstCheckpoint CONFIG.fti");
        Communicators.run(world -> {
            var step = new Scalar.OfInt(0);
            var data = new double[1_000_000];
            try (var checkpoints = Checkpoints.open(Path.of(arguments[0]), world)) {
                checkpoints.protect(0, step);
                checkpoints.protect(1, data);
                if (checkpoints.isRestart()) {
                    checkpoints.recover();
                }
                while (step.value < 1000) {
                    Arrays.setAll(data, i -> 0.5 * (data[i] + step.value));
                    step.value++;
                    if (step.value % 100 == 0) {
                        checkpoints.checkpoint(step.value / 100, Level.L1);
                    }
                }
                System.out.println("rank " + world.rank() + ": " + data[0]);
                checkpoints.complete();
            }
        });
    }
}
