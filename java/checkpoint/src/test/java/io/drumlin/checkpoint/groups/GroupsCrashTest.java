package io.drumlin.checkpoint.groups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.CrashJournal.Remains;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A run with two groups is killed at any of its operations, or power fails: each continues from its own last checkpoint. */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class GroupsCrashTest {

    private static final int RANKS = 2;

    private static final int INTS = 1_000;

    /** Number of the run, and of its two groups. */
    private static final int RUN = 0;

    private static final int SOLVER = 1;

    private static final int TRACER = 2;

    @TempDir(factory = InMemory.class)
    Path directory;

    private Path recorded;
    private CrashJournal journal;
    private final List<Taken> taken = new ArrayList<>();
    private int completion;

    /** A checkpoint of the run or a group, and which operations it took. */
    private record Taken(int library, int step, int begin, int end) {}

    @ParameterizedTest
    @CsvSource({"KILL, 3, 0, 0", "POWER_LOSS, 1, 1, 0", "KILL, 1, 0, 1"})
    void eachContinuesFromItsOwn(Crash crash, String ioMode, String keepLast, String async) throws IOException {
        prefixes(crash, ioMode, keepLast, async, 20);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "KILL, 3, 0, 0",
        "KILL, 3, 1, 0",
        "KILL, 1, 0, 1",
        "POWER_LOSS, 1, 1, 0",
        "POWER_LOSS, 3, 0, 1",
        "KILL, 2, 1, 0",
        "POWER_LOSS, 4, 0, 0",
        "KILL, 5, 1, 0"
    })
    void eachAlwaysContinuesFromItsOwn(Crash crash, String ioMode, String keepLast, String async) throws IOException {
        prefixes(crash, ioMode, keepLast, async, 1);
    }

    /** While the first checkpoint of the run is put into its place it may be whole on some nodes: if one is lost, nobody knows. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aFirstCheckpointThatIsKilledWithANodeIsRefused(String ioMode) throws IOException {
        record(Map.of("basic.node_size", "1", "basic.ckpt_io", ioMode));
        Taken first =
                taken.stream().filter(each -> each.library == RUN).findFirst().orElseThrow();
        int refused = 0;
        for (int prefix = first.begin; prefix <= first.end; prefix++) {
            Path copy = write(journal.crash(prefix, Crash.KILL, new Random(prefix)), prefix);
            RunFixture run = RunFixture.at(copy);
            String execId = run.restartValue("exec_id");
            if (Files.exists(copy.resolve("Meta").resolve(execId).resolve("drumlin-groups-only-begun"))) {
                refused++;
                DirectoryTree.delete(copy.resolve("Local/node1").resolve(execId), new NioEngine());
                assertThatThrownBy(() -> onEachRank(run.config(), new NioEngine(), libraries -> {}))
                        .hasMessageContaining("its own first one was begun");
            }
            DirectoryTree.delete(copy, new NioEngine());
        }
        assertThat(refused).isPositive();
    }

    private Path write(Remains remains, int prefix) throws IOException {
        Path copy = Files.createDirectories(directory.resolve("replay-" + prefix));
        remains.write(copy);
        Path config = copy.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace(recorded.toString(), copy.toString()));
        return copy;
    }

    private void prefixes(Crash crash, String ioMode, String keepLast, String async, int stride) throws IOException {
        record(RunFixture.settings(
                "node_size=1, ckpt_io=" + ioMode + ", keep_last_ckpt=" + keepLast + ", drumlin.async=" + async));
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        Set<String> seen = new HashSet<>();
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            Remains remains = journal.crash(prefix, crash, random);
            int[] least = steps(prefix, false);
            if (seen.add(remains.checksum() + Arrays.toString(least))) {
                Path copy = write(remains, prefix);
                check(copy.resolve("config.fti"), prefix, least);
                DirectoryTree.delete(copy, new NioEngine());
            }
        }
        System.out.printf("%d different remains%n", seen.size());
    }

    /** The last checkpoint of each that was done, or begun, before an operation. */
    private int[] steps(int prefix, boolean begun) {
        int[] steps = new int[TRACER + 1];
        for (Taken each : taken) {
            if (begun ? each.begin < prefix : each.end <= prefix) {
                steps[each.library] = each.step;
            }
        }
        return steps;
    }

    private void check(Path config, int prefix, int[] least) throws IOException {
        int[] most = steps(prefix, true);
        String story = "after " + prefix + " operations, the last of them "
                + journal.operations().subList(Math.max(0, prefix - 3), prefix);
        String[] execIds = new String[2];
        int[][] found = new int[2][];
        for (int start = 0; start < 2; start++) {
            int now = start;
            onEachRank(config, new NioEngine(), libraries -> {
                int[] steps = new int[libraries.length];
                for (int i = 0; i < libraries.length; i++) {
                    steps[i] = recover(libraries[i], i, story);
                }
                if (libraries[RUN].communicator().rank() == 0) {
                    execIds[now] = libraries[RUN].execId();
                    found[now] = steps;
                }
            });
        }
        if (found[0][RUN] == 0 && prefix > completion) {
            // The run is complete: nothing of it is continued.
            assertThat(found[0]).as(story).containsOnly(0);
        } else {
            for (int i = 0; i < least.length; i++) {
                assertThat(found[0][i]).as("library " + i + " " + story).isBetween(least[i], most[i]);
            }
            assertThat(found[1]).as("second restart " + story).isEqualTo(found[0]);
        }
        if (Arrays.stream(found[0]).anyMatch(step -> step > 0)) {
            assertThat(execIds[1]).as(story).isEqualTo(execIds[0]);
        }
        // Life goes on, in the order in which the record of the run is written.
        onEachRank(config, new NioEngine(), libraries -> {
            for (int i : new int[] {SOLVER, RUN, TRACER}) {
                recover(libraries[i], i, story);
                take(libraries[i], i, 20 + i);
                libraries[i].await();
            }
        });
        onEachRank(config, new NioEngine(), libraries -> {
            for (int i = 0; i < libraries.length; i++) {
                assertThat(recover(libraries[i], i, story)).isEqualTo(20 + i);
            }
        });
    }

    private void record(Map<String, String> changes) throws IOException {
        recorded = Files.createDirectories(directory.resolve("run"));
        RunFixture run = new RunFixture(recorded, changes);
        FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
        journal = storage.record(recorded);
        onEachRank(run.config(), storage, libraries -> {
            take(libraries, SOLVER, 1, Level.L1);
            take(libraries, TRACER, 1, Level.L4);
            take(libraries, SOLVER, 2, Level.L1);
            take(libraries, RUN, 1, Level.L1);
            take(libraries, SOLVER, 3, Level.L4);
            take(libraries, RUN, 2, Level.L4);
            take(libraries, TRACER, 2, Level.L1);
            completion = position(libraries);
            libraries[RUN].complete();
        });
    }

    private int position(Checkpoints[] libraries) throws IOException {
        libraries[RUN].communicator().barrier();
        int position = journal.size();
        libraries[RUN].communicator().barrier();
        return position;
    }

    private void take(Checkpoints[] libraries, int library, int step, Level level) throws IOException {
        int begin = position(libraries);
        protect(libraries[library], library, step);
        libraries[library].checkpoint(step, level);
        libraries[library].await();
        int end = position(libraries);
        if (libraries[library].communicator().rank() == 0) {
            taken.add(new Taken(library, step, begin, end));
        }
    }

    private static void take(Checkpoints checkpoints, int library, int step) throws IOException {
        protect(checkpoints, library, step);
        checkpoints.checkpoint(step, Level.L1);
    }

    private static void protect(Checkpoints checkpoints, int library, int step) throws IOException {
        int[] values = new int[INTS];
        Arrays.fill(values, 100 * library + step);
        values[0] = checkpoints.communicator().rank();
        checkpoints.protect(0, values);
    }

    /** Returns the step from which it continues; 0 for a fresh start. */
    private static int recover(Checkpoints checkpoints, int library, String story) throws IOException {
        if (!checkpoints.isRestart()) {
            return 0;
        }
        int[] values = new int[INTS];
        checkpoints.protect(0, values);
        checkpoints.recover();
        int step = checkpoints.lastCheckpoint().orElseThrow();
        int[] expected = new int[INTS];
        Arrays.fill(expected, 100 * library + step);
        expected[0] = checkpoints.communicator().rank();
        assertThat(values).as(story).isEqualTo(expected);
        return step;
    }

    @FunctionalInterface
    private interface Body {
        void run(Checkpoints[] libraries) throws IOException;
    }

    private static void onEachRank(Path config, StorageEngine storage, Body body) throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints run = Checkpoints.builder(config)
                            .communicator(comm)
                            .storage(storage)
                            .open();
                    Checkpoints solver = run.group("solver");
                    Checkpoints tracer = run.group("tracer")) {
                body.run(new Checkpoints[] {run, solver, tracer});
            }
        });
    }
}
