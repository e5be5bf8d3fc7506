package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.NioEngine;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every state that a kill or a power loss can leave on disk is one a restart recovers from, with the checkpoint that was under
 * way or the one before it.
 */
class CrashTest {

    private static final int RANKS = 2;
    private static final int INTS = 3000;

    /** What the run does: a checkpoint of each level in turn, under ids that repeat. */
    private static final List<Level> LEVELS = List.of(Level.L1, Level.L1, Level.L4, Level.L4, Level.L1);

    /** Kept, because a logger without a strong reference forgets its level. Every replay has files to warn of. */
    private static final Logger LOG = Logger.getLogger("io.drumlin.checkpoint");

    @TempDir
    Path directory;

    private Path recorded;
    private RunFixture run;
    private CrashJournal journal;
    private final List<Integer> begins = new ArrayList<>();
    private final List<Integer> ends = new ArrayList<>();
    private int completion;

    @ParameterizedTest
    @CsvSource({
        "KILL, 0, 0, 3",
        "POWER_LOSS, 0, 0, 3",
        "KILL, 1, 0, 3",
        "POWER_LOSS, 1, 0, 3",
        "KILL, 0, 1, 3",
        "POWER_LOSS, 0, 1, 3",
        "KILL, 0, 0, 1",
        "POWER_LOSS, 0, 0, 1",
        "KILL, 1, 0, 1",
        "POWER_LOSS, 0, 1, 1"
    })
    void everyPrefixOfARunIsRecoverable(Crash crash, String keepLast, String keepL4, String ioMode) throws IOException {
        record(Map.of(
                "basic.node_size",
                "1",
                "basic.keep_last_ckpt",
                keepLast,
                "basic.keep_l4_ckpt",
                keepL4,
                "basic.ckpt_io",
                ioMode));
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        for (int prefix = 0; prefix <= journal.size(); prefix++) {
            Path copy = Files.createDirectories(directory.resolve("replay-" + prefix));
            journal.replay(prefix, copy, crash, random);
            check(prefix, copy);
            RunDirectory.delete(copy, new NioEngine());
        }
    }

    @BeforeAll
    static void silence() {
        LOG.setLevel(java.util.logging.Level.OFF);
    }

    @AfterAll
    static void speak() {
        LOG.setLevel(null);
    }

    /** Takes a first checkpoint that is durable, then writes down all that happens until the run is complete. */
    private void record(Map<String, String> changes) throws IOException {
        recorded = Files.createDirectories(directory.resolve("run"));
        run = new RunFixture(recorded, changes);
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        onEachRank(run.config(), storage, (checkpoints, values) -> {
            setAll(values, 0);
            checkpoints.checkpoint(1, Level.L1);
        });
        journal = storage.record(recorded);
        onEachRank(run.config(), storage, (checkpoints, values) -> {
            checkpoints.recover();
            for (int step = 1; step <= LEVELS.size(); step++) {
                setAll(values, step);
                note(checkpoints, begins);
                checkpoints.checkpoint(1 + step % 2, LEVELS.get(step - 1));
                note(checkpoints, ends);
            }
            checkpoints.communicator().barrier();
            if (checkpoints.communicator().rank() == 0) {
                completion = journal.size();
            }
            checkpoints.communicator().barrier();
            checkpoints.complete();
        });
    }

    private void note(Checkpoints checkpoints, List<Integer> positions) throws IOException {
        checkpoints.communicator().barrier();
        if (checkpoints.communicator().rank() == 0) {
            positions.add(journal.size());
        }
        checkpoints.communicator().barrier();
    }

    private void check(int prefix, Path copy) throws IOException {
        Path config = copy.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace(recorded.toString(), copy.toString()));
        int done = (int) ends.stream().filter(position -> position <= prefix).count();
        int begun = (int) begins.stream().filter(position -> position < prefix).count();
        String story = "after " + prefix + " operations, the last of them "
                + journal.operations().subList(Math.max(0, prefix - 3), prefix);
        onEachRank(config, new NioEngine(), (checkpoints, values) -> {
            if (!checkpoints.isRestart()) {
                assertThat(prefix).as("fresh start " + story).isGreaterThan(completion);
                return;
            }
            checkpoints.recover();
            assertThat(values[0]).as(story).isBetween(done, begun);
            for (int i = 0; i < INTS; i++) {
                assertThat(values[i]).isEqualTo(values[0] + i);
            }
            // A second failure before the next checkpoint, and then life goes on.
            setAll(values, 100);
            checkpoints.checkpoint(9, Level.L1);
        });
        onEachRank(config, new NioEngine(), (checkpoints, values) -> {
            if (checkpoints.isRestart()) {
                checkpoints.recover();
                assertThat(values[0]).as("second restart " + story).isEqualTo(100);
            }
        });
    }

    private static void setAll(int[] values, int step) {
        for (int i = 0; i < INTS; i++) {
            values[i] = step + i;
        }
    }

    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, int[] values) throws IOException;
    }

    private static void onEachRank(Path config, StorageEngine storage, Body body) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(config)
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                int[] values = new int[INTS];
                checkpoints.protect(0, values);
                body.run(checkpoints, values);
            }
        });
    }
}
