package io.drumlin.examples;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;

/**
 * Takes checkpoints with SCR that stay in the memory of the nodes. Arguments: prefix directory, last step. It says {@code start N} after a
 * restart from step N, whose data were compared, and {@code done N} after checkpoint N.
 */
final class CachingProgram {

    private CachingProgram() {}

    public static void main(String[] arguments) throws IOException {
        Path prefix = Path.of(arguments[0]);
        int last = Integer.parseInt(arguments[1]);
        Communicators.run(world -> {
            ScrConfig config = new ScrConfig(System.getenv())
                    .set("SCR_PREFIX", prefix.toString())
                    .set("SCR_CACHE_BYPASS", "0")
                    .set("SCR_CACHE_SIZE", "2")
                    .set("SCR_COPY_TYPE", "XOR")
                    .set("SCR_FLUSH", "0");
            ScrDatasets datasets = ScrDatasets.open(config, world, StorageEngines.best());
            int step = restart(datasets, world, prefix);
            say(world, "start " + step);
            while (step < last) {
                checkpoint(datasets, world, prefix, ++step);
                say(world, "done " + step);
            }
            datasets.close();
        });
    }

    private static int restart(ScrDatasets datasets, Communicator world, Path prefix) throws IOException {
        Optional<String> name = datasets.haveRestart();
        if (name.isEmpty()) {
            return 0;
        }
        datasets.startRestart();
        int step = Integer.parseInt(name.get().substring("ckpt.".length()));
        byte[] read = Files.readAllBytes(datasets.routeFile(file(prefix, step, world.rank())));
        boolean same = Arrays.equals(read, state(step, world.rank()));
        if (!datasets.completeRestart(same)) {
            throw new IOException("the data of " + name.get() + " are not what was written");
        }
        return step;
    }

    private static void checkpoint(ScrDatasets datasets, Communicator world, Path prefix, int step) throws IOException {
        datasets.startOutput("ckpt." + step, true, false);
        Files.write(datasets.routeFile(file(prefix, step, world.rank())), state(step, world.rank()));
        datasets.completeOutput(true);
    }

    /** The file of a rank in a checkpoint. */
    static Path file(Path prefix, int step, int rank) {
        return prefix.resolve("ckpt." + step).resolve("rank_" + rank + ".dat");
    }

    /** What a rank writes at a step. */
    static byte[] state(int step, int rank) {
        byte[] bytes = new byte[1_000_003 + 1000 * rank];
        new Random(1000L * step + rank).nextBytes(bytes);
        return bytes;
    }

    private static void say(Communicator world, String line) {
        if (world.rank() == 0) {
            System.out.println(line);
        }
    }
}
