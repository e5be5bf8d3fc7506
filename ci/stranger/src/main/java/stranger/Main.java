package stranger;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.file.Path;

/** Dies after its second checkpoint; started again it goes on from there. */
public final class Main {

    private Main() {}

    /**
     * Runs the program.
     *
     * @param arguments the configuration file; and {@code threads} for two ranks in this process
     * @throws Exception whatever happens
     */
    public static void main(String[] arguments) throws Exception {
        Path config = Path.of(arguments[0]);
        if (arguments.length > 1) {
            ThreadCommunicator.run(2, world -> run(world, config));
        } else {
            Communicators.run(world -> run(world, config));
        }
    }

    private static void run(Communicator world, Path config) throws IOException {
        var step = new Scalar.OfInt(0);
        var data = new double[100_000];
        try (var checkpoints = Checkpoints.open(config, world)) {
            checkpoints.protect(0, step);
            checkpoints.protect(1, data);
            boolean restart = checkpoints.isRestart();
            if (restart) {
                checkpoints.recover();
            }
            int first = step.value;
            while (step.value < 4) {
                data[step.value] = world.rank() + step.value;
                step.value++;
                checkpoints.checkpoint(step.value, Level.L2);
                if (step.value == 2 && !restart) {
                    world.barrier();
                    Runtime.getRuntime().halt(9);
                }
            }
            System.out.println("rank " + world.rank() + " of " + world.size() + " by "
                    + world.getClass().getSimpleName() + ", files by " + StorageEngines.best().name() + ": from step "
                    + first + ", data " + (data[0] + data[1] + data[2] + data[3]));
            checkpoints.complete();
        }
    }
}
