package io.drumlin.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Mpirun;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random losses of hosts of {@code ci/cluster}: one crashes or its cable is cut while its ranks compute, take a checkpoint, commit it, end
 * or restart. Then the job starts again, with what the host had, with an old disk or an empty one, under other names, in another order,
 * with ranks dealt out in another way. A model says which checkpoints may come back.
 */
@Tag("native")
class HostLossIT {

    @Tag("soak")
    @Test
    void manyLosses() throws IOException, InterruptedException {
        assumeFalse("off".equals(System.getProperty("drumlin.native")), "MPI needs native code, which is off");
        Mpirun.assumeInstalled();
        int most = Integer.getInteger("drumlin.hosts.losses", 200);
        long end = System.nanoTime() + Integer.getInteger("drumlin.hosts.minutes", 60) * 60_000_000_000L;
        long seed = Long.getLong("drumlin.hosts.seed", new Random().nextInt(Integer.MAX_VALUE));
        Path memory = Path.of("/dev/shm");
        Path directory = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "drumlin-hosts")
                : Files.createTempDirectory("drumlin-hosts");
        Map<String, Integer> counts = new TreeMap<>();
        int lives = 0;
        int failed = 0;
        long longest = 0;
        try (Hosts hosts = new Hosts(directory.resolve("cluster"))) {
            while (losses(counts) < most && System.nanoTime() < end) {
                HostLossLife life = new HostLossLife(hosts, seed + lives++, counts);
                try {
                    life.run(most - losses(counts));
                } catch (AssertionError e) {
                    failed++;
                    System.out.println("hosts: FAILED " + e.getMessage() + "\n" + life.story() + "hosts: end");
                }
                longest = Math.max(longest, life.longest());
                System.out.printf(
                        "hosts: %d lives, %d failed, longest end %d ms, %s%n", lives, failed, longest, counts);
            }
        } finally {
            DirectoryTree.delete(directory, new NioEngine());
        }
        assertThat(failed).as("lives that failed, as told above").isZero();
    }

    private static int losses(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith("crash") || entry.getKey().startsWith("cut"))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }
}
