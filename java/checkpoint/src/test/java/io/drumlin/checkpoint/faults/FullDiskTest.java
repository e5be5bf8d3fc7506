package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real disk becomes full in the midst of a checkpoint, at one place after the other: all ranks get the error or none, and
 * what can be recovered afterwards is the checkpoint before or, if none got it, the new one.
 */
@ExtendWith(EngineLog.class)
class FullDiskTest {

    /** Of the application. */
    private static final int RANKS = 2;

    private static final int BYTES = 40_000;
    private static final int PAGE = 4096;

    /** Who finishes checkpoints. */
    enum By {
        RANKS_THEMSELVES(Map.of("basic.node_size", "1")),
        THREADS(Map.of("basic.node_size", "1", "drumlin.async", "1")),
        HEADS(RunFixture.settings("head=1, node_size=2, inline_l2=0, inline_l3=0, inline_l4=0"));

        private final Map<String, String> changes;

        By(Map<String, String> changes) {
            this.changes = changes;
        }

        int ranks() {
            return this == HEADS ? 2 * RANKS : RANKS;
        }
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4"})
    void theCheckpointBeforeIsRecovered(String ioMode, int level) throws IOException {
        fill(By.RANKS_THEMSELVES, ioMode, Level.of(level), 5);
    }

    /** No room for what heads, or threads of the ranks, write behind the computation. */
    @ParameterizedTest
    @CsvSource({"THREADS, 3, 2", "HEADS, 1, 4"})
    void theCheckpointBeforeIsRecoveredFromBehindTheComputation(By by, String ioMode, int level) throws IOException {
        fill(by, ioMode, Level.of(level), 9);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"THREADS, 1, 4", "HEADS, 3, 2", "HEADS, 1, 3", "HEADS, 2, 4"})
    void theCheckpointBeforeIsRecoveredWhoeverFinishes(By by, String ioMode, int level) throws IOException {
        fill(by, ioMode, Level.of(level), 9);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 3", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4"})
    void theCheckpointBeforeIsRecoveredWithAnyPageLeft(String ioMode, int level) throws IOException {
        fill(By.RANKS_THEMSELVES, ioMode, Level.of(level), 1);
    }

    /** Tries with no page left, then with {@code step} pages more each time until there is room. */
    private static void fill(By by, String ioMode, Level level, int step) throws IOException {
        try (MountedFileSystem disk = MountedFileSystem.mount("tmpfs", "size=4m")) {
            Map<String, String> changes = new HashMap<>(by.changes);
            changes.put("basic.group_size", "2");
            changes.put("basic.ckpt_io", ioMode);
            RunFixture run = new RunFixture(disk.root(), changes);
            Path ballast = disk.root().resolve("ballast");
            int failed = 0;
            for (int pages = 0; !roomFor(by, run, level, ballast, pages); pages += step) {
                failed++;
            }
            assertThat(failed).as("checkpoints that failed").isGreaterThan(1);
            assertThat(recovered(by, run)).isEqualTo(2);
        }
    }

    /** Takes checkpoint 1, then one for which only some pages are left; whether that was enough. */
    private static boolean roomFor(By by, RunFixture run, Level level, Path ballast, int pages) {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        return assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            run.run(by.ranks(), (checkpoints, world) -> {
                Communicator comm = checkpoints.communicator();
                byte[] data = new byte[BYTES];
                checkpoints.protect(0, data);
                Arrays.fill(data, (byte) 1);
                checkpoints.discardRestart();
                checkpoints.checkpoint(1, level);
                checkpoints.await();
                // What is being deleted is room, too.
                ((EngineCheckpoints) checkpoints).awaitDeletion();
                comm.barrier();
                if (comm.rank() == 0) {
                    occupy(ballast, pages);
                }
                comm.barrier();
                Arrays.fill(data, (byte) 2);
                String outcome = "";
                try {
                    checkpoints.checkpoint(2, level);
                    checkpoints.await();
                } catch (IOException full) {
                    outcome = full.getMessage();
                }
                synchronized (outcomes) {
                    outcomes.set(comm.rank(), outcome);
                }
            });
            boolean done = outcomes.get(0).isEmpty();
            assertThat(outcomes).as("%d pages left", pages).allMatch(outcome -> outcome.isEmpty() == done);
            if (!done) {
                assertThat(outcomes).anyMatch(outcome -> outcome.contains("ENOSPC"));
            }
            assertThat(recovered(by, run)).as("%d pages left", pages).isEqualTo(done ? 2 : 1);
            Files.deleteIfExists(ballast);
            return done;
        });
    }

    /** Fills the disk but for some pages. */
    private static void occupy(Path ballast, int pages) throws IOException {
        long free = Files.getFileStore(ballast.getParent()).getUsableSpace();
        Files.write(ballast, new byte[Math.toIntExact(free - (long) pages * PAGE)]);
    }

    /** The value that all elements have on all ranks after a restart. */
    private static int recovered(By by, RunFixture run) throws IOException {
        int[] found = new int[RANKS];
        run.run(by.ranks(), (checkpoints, comm) -> {
            byte[] data = new byte[BYTES];
            checkpoints.protect(0, data);
            checkpoints.recover();
            found[checkpoints.communicator().rank()] = data[0];
            byte[] whole = new byte[BYTES];
            Arrays.fill(whole, data[0]);
            assertThat(data).isEqualTo(whole);
        });
        assertThat(found).containsOnly(found[0]);
        return found[0];
    }
}
