package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A run is opened again in the same process after its communicator has failed. This is the property that recovery within
 * a job needs.
 */
class InJobRecoveryTest {

    private static final int RANKS = 4;

    /** The first ones load classes and fill caches. */
    private static final int WARM = 15;

    private static final int TIMES = 50;

    private static final int ELEMENTS = 100_000;

    @TempDir
    private Path directory;

    /** What the process has. */
    private record Held(long threads, long files, long heap, long mappings, long mapped) {

        static Held now() throws IOException {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("drumlin"))
                    .count();
            return new Held(
                    threads,
                    count(Path.of("/proc/self/fd")),
                    runtime.totalMemory() - runtime.freeMemory(),
                    Files.readAllLines(Path.of("/proc/self/maps")).size(),
                    mappedNow());
        }

        private static long count(Path folder) throws IOException {
            try (Stream<Path> entries = Files.list(folder)) {
                return entries.count();
            }
        }

        private static long mappedNow() throws IOException {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmSize"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .sum();
        }
    }

    @Test
    void nothingGrows() throws IOException {
        failOftenWithoutGrowth("0", "4");
    }

    @Tag("exhaustive")
    @Test
    void nothingGrowsWithCheckpointsInTheBackground() throws IOException {
        failOftenWithoutGrowth("1", "64");
    }

    private void failOftenWithoutGrowth(String async, String slabs) throws IOException {
        RunFixture run = new RunFixture(
                directory, "node_size=1, group_size=2, drumlin.async=" + async + ", drumlin.slab_memory=" + slabs);
        Held before = null;
        for (int time = 1; time <= TIMES; time++) {
            failOnce(run, time);
            if (time == WARM) {
                before = Held.now();
            }
        }
        Held after = Held.now();

        assertThat(before).isNotNull();
        // One that ends by itself may have been there before.
        assertThat(after.threads() - before.threads()).isLessThan(TIMES - WARM);
        assertThat(after.files()).isLessThanOrEqualTo(before.files());
        assertThat(after.heap() - before.heap()).isLessThan(4L << 20);
        // A slab that is not freed is a mapping, and each time has dozens. The JVM makes some of its own.
        assertThat(after.mappings() - before.mappings()).isLessThan(10 * (TIMES - WARM));
        assertThat(after.mapped() - before.mapped()).isLessThan(2L << 30);
    }

    /** Recovers what the last time has left, takes a checkpoint, and loses a rank. */
    private static void failOnce(RunFixture run, int time) {
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> {
                    Checkpoints checkpoints = Checkpoints.open(run.config(), comm);
                    try {
                        long[] data = new long[ELEMENTS];
                        checkpoints.protect(1, data);
                        assertThat(checkpoints.isRestart()).isEqualTo(time > 1);
                        if (checkpoints.isRestart()) {
                            checkpoints.recover();
                            assertThat(data[comm.rank()]).isEqualTo(time - 1);
                        }
                        data[comm.rank()] = time;
                        checkpoints.checkpoint(time, Level.of(1 + time % 4));
                        checkpoints.await();
                        loseARank(checkpoints, comm, time, data);
                    } finally {
                        checkpoints.abandon();
                        checkpoints.close();
                    }
                }))
                .hasMessageContaining("rank 2 is dead");
    }

    private static void loseARank(Checkpoints checkpoints, Communicator comm, int time, long[] data)
            throws IOException {
        if (comm.rank() == 2) {
            throw new IllegalStateException("rank 2 is dead");
        }
        data[comm.rank()] = -1;
        // Fails, at once or when the program waits for it.
        checkpoints.checkpoint(1000 + time, Level.L2);
        checkpoints.await();
        throw new AssertionError("a checkpoint without rank 2");
    }

    @Test
    void theProcessGoesOnWithTheFilesOfTheRun() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        failOnce(run, 1);
        run.run(RANKS, (checkpoints, comm) -> {
            long[] data = new long[ELEMENTS];
            checkpoints.protect(1, data);
            checkpoints.recover();
            assertThat(data[comm.rank()]).isEqualTo(1);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }
}
