import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicators;
import java.nio.file.Path;

/** The program of which the documentation speaks: goes on from checkpoint 12 if there is one, and takes it otherwise. */
public final class Main {

    private Main() {}

    /**
     * Runs the program.
     *
     * @param arguments the configuration file, or nothing
     * @throws Exception whatever happens
     */
    public static void main(String[] arguments) throws Exception {
        Path config = Path.of(arguments.length > 0 ? arguments[0] : "config.fti");
        Communicators.run(world -> {
            double[] grid = new double[10_000];
            try (var checkpoints = Checkpoints.open(config, world)) {
                checkpoints.protect(1, grid);
                if (checkpoints.isRestart()) {
                    checkpoints.recover();
                } else {
                    checkpoints.checkpoint(12, Level.L4);
                }
            }
        });
    }
}
