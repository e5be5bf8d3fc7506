package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.FaultPoint;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.TwoVariables;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Every operation on the file system, and every request for memory, fails once on one rank while all others are well: no rank
 * hangs or is left out, and what is on disk afterwards is the checkpoint before or the new one.
 */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class FaultTest {

    private static final int RANKS = 2;
    private static final int INTS = 20_000;

    @TempDir(factory = InMemory.class)
    Path directory;

    /** What is done before the fault, and the call in which it happens. */
    enum Scenario {
        FIRST_L1("0", "0", Level.L1),
        L1_AFTER_L1("0", "0", Level.L1, Level.L1),
        L4_AFTER_L1("0", "0", Level.L1, Level.L4),
        L4_AFTER_L4_KEPT("0", "1", Level.L4, Level.L4),
        L1_AFTER_L4("0", "0", Level.L4, Level.L1),
        L2_AFTER_L2("0", "0", Level.L2, Level.L2),
        L3_AFTER_L2("0", "0", Level.L2, Level.L3),
        FIRST_DCP("0", "0", Level.L4_DCP),
        DCP_AFTER_DCP("0", "0", Level.L4_DCP, Level.L4_DCP, Level.L4_DCP),
        DCP_AFTER_L1("0", "0", Level.L4_DCP, Level.L1, Level.L4_DCP),
        L4_AFTER_DCP("0", "0", Level.L4_DCP, Level.L4),
        POSIX_LAYER_AFTER_LAYER("1", Level.L4_DCP, Level.L4_DCP),
        POSIX_FILE_AFTER_FILE("1", Level.L4_DCP, Level.L4_DCP, Level.L4_DCP),
        POSIX_LAYER_AFTER_L1("1", Level.L4_DCP, Level.L1, Level.L4_DCP),
        POSIX_LAYER_AFTER_L4("1", Level.L4_DCP, Level.L4, Level.L4_DCP),
        POSIX_L4_AFTER_LAYER("1", Level.L4_DCP, Level.L4),
        INCREMENTAL_L1_AFTER_L1("3", Level.L1, Level.L1),
        INCREMENTAL_L2_AFTER_L1("3", Level.L1, Level.L2),
        INCREMENTAL_DCP_AFTER_DCP("3", Level.L4_DCP, Level.L4_DCP, Level.L4_DCP),
        INCREMENTAL_POSIX_L3_AFTER_L2("1", Level.L2, Level.L3),
        INCREMENTAL_POSIX_L4_AFTER_L4("1", Level.L4, Level.L4),
        INCREMENTAL_POSIX_LAYER_AFTER_LAYER("1", Level.L4_DCP, Level.L4_DCP),
        INCREMENTAL_MPI_IO_L4_AFTER_L1("2", Level.L1, Level.L4),
        INCREMENTAL_SION_L4_AFTER_L4("4", Level.L4, Level.L4),
        INCREMENTAL_HDF5_L1_AFTER_L1("5", Level.L1, Level.L1),
        INCREMENTAL_HDF5_L4_AFTER_L1("5", Level.L1, Level.L4);

        private final Map<String, String> config;
        private final List<Level> levels;

        Scenario(String keepLast, String keepL4, Level... levels) {
            this(keepLast, keepL4, "3", levels);
        }

        Scenario(String ioMode, Level... levels) {
            this("0", "0", ioMode, levels);
        }

        Scenario(String keepLast, String keepL4, String ioMode, Level... levels) {
            this.levels = List.of(levels);
            config = RunFixture.settings("node_size=1, group_size=2, keep_last_ckpt=" + keepLast + ", keep_l4_ckpt="
                    + keepL4 + ", enable_dcp=" + (this.levels.contains(Level.L4_DCP) ? "1" : "0")
                    + ", dcp_mode=1, dcp_block_size=512, dcp_stack_size=2, ckpt_io=" + ioMode);
        }

        private boolean isIncremental() {
            return name().startsWith("INCREMENTAL");
        }

        /** One of how many faults in a row is tried. */
        int stride() {
            return isIncremental() ? 30 : 17;
        }

        void take(Checkpoints checkpoints, int[] values, int ckptId, Level level) throws IOException {
            if (isIncremental()) {
                TwoVariables.checkpoint(checkpoints, values, ckptId, level);
            } else {
                checkpoints.checkpoint(ckptId, level);
            }
        }

        /** The first has 1 in all values, the second 2 and so on. */
        void takeAllButTheLast(Checkpoints checkpoints, int[] values) throws IOException {
            for (int step = 1; step < levels.size(); step++) {
                setAll(values, step);
                take(checkpoints, values, step, levels.get(step - 1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFaultInACheckpointLeavesTheOldOrTheNewOne(Scenario scenario) throws IOException {
        aFaultInACheckpoint(scenario, scenario.stride());
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource
    void anyFaultInACheckpointLeavesTheOldOrTheNewOne(Scenario scenario) throws IOException {
        aFaultInACheckpoint(scenario, 1);
    }

    private void aFaultInACheckpoint(Scenario scenario, int stride) throws IOException {
        int before = scenario.levels.size() - 1;
        forEachFault(scenario.config, stride, (run, fault) -> {
            List<String> outcomes = onEachRank(run, fault.engines, (checkpoints, values) -> {
                scenario.takeAllButTheLast(checkpoints, values);
                setAll(values, before + 1);
                fault.arm(checkpoints.communicator());
                scenario.take(checkpoints, values, before + 1, scenario.levels.get(before));
            });
            fault.heal();
            checkOutcomes(fault, outcomes);
            int least = outcomes.get(0).isEmpty() ? before + 1 : before;
            assertThat(restored(run)).as("%s, %s", fault, outcomes).isBetween(least, before + 1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aRunGoesOnAfterAFaultInACheckpoint(Scenario scenario) throws IOException {
        goOnAfterAFault(scenario, scenario.stride());
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource
    void aRunGoesOnAfterAnyFaultInACheckpoint(Scenario scenario) throws IOException {
        goOnAfterAFault(scenario, 1);
    }

    private void goOnAfterAFault(Scenario scenario, int stride) throws IOException {
        int before = scenario.levels.size() - 1;
        forEachFault(scenario.config, stride, (run, fault) -> {
            List<String> outcomes = onEachRank(run, fault.engines, (checkpoints, values) -> {
                scenario.takeAllButTheLast(checkpoints, values);
                fault.arm(checkpoints.communicator());
                setAll(values, 50);
                try {
                    // An id as before: files are told apart by their timestamps.
                    scenario.take(checkpoints, values, 1, scenario.levels.get(before));
                } catch (IOException expected) {
                    if (checkpoints.lastCheckpoint().isPresent()) {
                        checkpoints.recover();
                        assertThat(values[0]).isIn(before, 50);
                    }
                }
                checkpoints.communicator().barrier();
                fault.heal();
                checkpoints.communicator().barrier();
                setAll(values, 60);
                scenario.take(checkpoints, values, 1, scenario.levels.get(before));
                setAll(values, 0);
                checkpoints.recover();
                assertThat(values[INTS - 1]).isEqualTo(60 + INTS - 1);
            });
            assertThat(outcomes).as("%s", fault).containsOnly("");
            assertThat(restored(run)).as("%s", fault).isEqualTo(60);
        });
    }

    /** What the first fault left in disorder must not be taken for something else at the second. */
    @ParameterizedTest
    @CsvSource({"RENAME, 1", "RENAME, 2", "SYNC_DIRECTORY, 3", "WRITE, 1"})
    void twoFaultsInARowLoseNothing(Operation second, int nth) throws IOException {
        twoFaults(second, nth, 4);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"RENAME, 1", "RENAME, 2", "SYNC_DIRECTORY, 3", "WRITE, 1"})
    void anyTwoFaultsInARowLoseNothing(Operation second, int nth) throws IOException {
        twoFaults(second, nth, 1);
    }

    private void twoFaults(Operation second, int nth, int stride) throws IOException {
        forEachFault(Map.of("basic.node_size", "1"), stride, (run, fault) -> {
            int[] done = {0};
            List<String> outcomes = onEachRank(run, fault.engines, (checkpoints, values) -> {
                setAll(values, 1);
                checkpoints.checkpoint(1, Level.L1);
                fault.arm(checkpoints.communicator());
                for (int step = 2; step <= 3; step++) {
                    setAll(values, step);
                    try {
                        checkpoints.checkpoint(1, Level.L1);
                        done[0] = step;
                    } catch (IOException expected) {
                        done[0] = Math.max(done[0], 1);
                    }
                    checkpoints.communicator().barrier();
                    fault.heal();
                    checkpoints.communicator().barrier();
                    if (step == 2 && checkpoints.communicator().rank() == 1 - fault.rank) {
                        fault.engines.get(1 - fault.rank).fail(second, nth, "EIO");
                    }
                }
            });
            assertThat(outcomes).as("%s", fault).containsOnly("");
            assertThat(restored(run)).as("%s", fault).isBetween(done[0], 3);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = "INCREMENTAL_(L|DCP|POSIX).*")
    void aFaultInARestartLosesNothing(Scenario scenario) throws IOException {
        aFaultInARestart(scenario, 2 * scenario.stride());
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_NONE, names = "INCREMENTAL_(L|DCP|POSIX).*")
    void anyFaultInARestartLosesNothing(Scenario scenario) throws IOException {
        aFaultInARestart(scenario, 1);
    }

    private void aFaultInARestart(Scenario scenario, int stride) throws IOException {
        forEachFault(scenario.config, stride, (run, fault) -> {
            int[] step = {0};
            for (Level level : scenario.levels) {
                step[0]++;
                onEachRank(run, healthy(), (checkpoints, values) -> {
                    setAll(values, step[0]);
                    checkpoints.discardRestart();
                    scenario.take(checkpoints, values, step[0], level);
                });
            }
            fault.armAll();
            List<String> outcomes = onEachRank(run, fault.engines, (checkpoints, values) -> {
                // What C FTI does when nothing can be recovered: the program is told so, and ends.
                assertThat(checkpoints.isRestart()
                                || checkpoints.recoveryFailure().isPresent())
                        .isTrue();
            });
            fault.heal();
            checkOutcomes(fault, outcomes);
            assertThat(restored(run)).as("%s, %s", fault, outcomes).isEqualTo(step[0]);
        });
    }

    /** On the node that has lost its files and on the one that makes them again. */
    @ParameterizedTest
    @CsvSource({"L2, 1", "L2, 3", "L3, 1", "L3, 3"})
    void aFaultWhileLostFilesAreMadeAgainLosesNothing(Level level, String ioMode) throws IOException {
        aFaultWhileLostFilesAreMadeAgain(level, ioMode, 16);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"L2, 1", "L2, 3", "L3, 1", "L3, 3"})
    void anyFaultWhileLostFilesAreMadeAgainLosesNothing(Level level, String ioMode) throws IOException {
        aFaultWhileLostFilesAreMadeAgain(level, ioMode, 1);
    }

    private void aFaultWhileLostFilesAreMadeAgain(Level level, String ioMode, int stride) throws IOException {
        Map<String, String> config = Map.of(
                "basic.node_size",
                "1",
                "basic.group_size",
                "2",
                "basic.ckpt_io",
                ioMode,
                // So that the variables have messages of their own.
                "drumlin.slab_memory",
                "2");
        forEachFault(config, stride, (run, fault) -> {
            onEachRank(run, healthy(), (checkpoints, values) -> {
                setAll(values, 3);
                checkpoints.checkpoint(1, level);
            });
            DirectoryTree.delete(run.directory().resolve("Local/node0"), new NioEngine());
            fault.armAll();
            List<String> outcomes = onEachRank(run, fault.engines, (checkpoints, values) -> {
                assertThat(checkpoints.isRestart()
                                || checkpoints.recoveryFailure().isPresent())
                        .isTrue();
            });
            fault.heal();
            checkOutcomes(fault, outcomes);
            assertThat(restored(run)).as("%s, %s", fault, outcomes).isEqualTo(3);
            // The files that were made again are as good as the first ones.
            DirectoryTree.delete(run.directory().resolve("Local/node1"), new NioEngine());
            assertThat(restored(run)).as("%s, %s", fault, outcomes).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @CsvSource({"L1_AFTER_L1, 3", "L4_AFTER_L4_KEPT, 3", "L1_AFTER_L4, 3", "L1_AFTER_L1, 2"})
    void aFaultInTheEndOfARunLosesNoCheckpointThatIsToBeKept(Scenario scenario, String ioMode) throws IOException {
        aFaultInTheEndOfARun(scenario, ioMode, 4);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"L1_AFTER_L1, 3", "L4_AFTER_L4_KEPT, 3", "L1_AFTER_L4, 3", "L1_AFTER_L1, 2"})
    void anyFaultInTheEndOfARunLosesNoCheckpointThatIsToBeKept(Scenario scenario, String ioMode) throws IOException {
        aFaultInTheEndOfARun(scenario, ioMode, 1);
    }

    private void aFaultInTheEndOfARun(Scenario scenario, String ioMode, int stride) throws IOException {
        Map<String, String> config =
                Map.of("basic.node_size", "1", "basic.keep_last_ckpt", "1", "basic.ckpt_io", ioMode);
        forEachFault(config, stride, (run, fault) -> {
            List<String> outcomes = onEachRank(run, fault.engines, (checkpoints, values) -> {
                int step = 0;
                for (Level level : scenario.levels) {
                    setAll(values, ++step);
                    checkpoints.checkpoint(step, level);
                }
                fault.arm(checkpoints.communicator());
                checkpoints.complete();
            });
            fault.heal();
            checkOutcomes(fault, outcomes);
            assertThat(restored(run)).as("%s, %s", fault, outcomes).isEqualTo(scenario.levels.size());
        });
    }

    private static void checkOutcomes(Fault fault, List<String> outcomes) {
        assertThat(outcomes)
                .as("%s", fault)
                .noneMatch(outcome -> outcome.contains("without taking part"))
                .noneMatch(outcome -> outcome.contains("different collective calls"));
        assertThat(outcomes.stream().filter(String::isEmpty).count())
                .as("all ranks or none: %s, %s", fault, outcomes)
                .isIn(0L, (long) RANKS);
    }

    /** The n-th operation of a kind, on one rank. */
    private static final class Fault {
        private final Operation operation;
        private final int rank;
        private final int nth;
        private final List<FaultyEngine> engines = healthy();
        private List<Map<Operation, Integer>> armed = List.of();
        private List<Map<Operation, Integer>> healed = List.of();

        Fault(FaultPoint point) {
            operation = point.operation();
            rank = point.rank();
            nth = point.nth();
        }

        /** Called by all ranks; nothing is going on meanwhile. */
        void arm(Communicator comm) throws IOException {
            comm.barrier();
            if (comm.rank() == rank) {
                armAll();
            }
            comm.barrier();
        }

        void armAll() {
            armed = FaultPoint.counts(engines);
            engines.get(rank).fail(operation, nth, "EIO");
        }

        /** Nothing fails any more. */
        synchronized void heal() {
            if (healed.isEmpty()) {
                healed = FaultPoint.counts(engines);
            }
            engines.get(rank).heal();
        }

        boolean happened() {
            int before = armed.get(rank).getOrDefault(operation, 0);
            return healed.get(rank).getOrDefault(operation, 0) - before >= nth;
        }

        @Override
        public String toString() {
            return operation + " " + nth + " on rank " + rank;
        }
    }

    private static List<FaultyEngine> healthy() {
        List<FaultyEngine> engines = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            engines.add(new FaultyEngine(new NioEngine(), false));
        }
        return engines;
    }

    @FunctionalInterface
    private interface Story {
        void play(RunFixture run, Fault fault) throws IOException;
    }

    /** Plays the story with one operation failing; of {@code stride} operations in a row one is tried. */
    private void forEachFault(Map<String, String> config, int stride, Story story) throws IOException {
        if (stride == 1) {
            forAllFaults(config, story);
            return;
        }
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Fault none = play(config, FaultPoint.NOWHERE, story);
        int happened = 0;
        for (FaultPoint point : FaultPoint.sample(none.armed, none.healed, stride, new Random(seed))) {
            happened += play(config, point, story).happened() ? 1 : 0;
        }
        assertThat(happened).as("faults that happened").isPositive();
    }

    /** Until the story has no such operation. */
    private void forAllFaults(Map<String, String> config, Story story) throws IOException {
        int happened = 0;
        for (Operation operation : Operation.values()) {
            for (int rank = 0; rank < RANKS; rank++) {
                for (int nth = 1;
                        play(config, new FaultPoint(operation, rank, nth), story)
                                .happened();
                        nth++) {
                    happened++;
                }
            }
        }
        assertThat(happened).as("faults that happened").isGreaterThanOrEqualTo(RANKS * 5);
    }

    private Fault play(Map<String, String> config, FaultPoint point, Story story) throws IOException {
        Fault fault = new Fault(point);
        Path folder =
                Files.createDirectories(directory.resolve(point.operation() + "-" + point.rank() + "-" + point.nth()));
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> story.play(new RunFixture(folder, config), fault),
                () -> "hangs: " + fault);
        assertThat(fault.engines)
                .as("%s", fault)
                .flatMap(FaultyEngine::openFiles)
                .isEmpty();
        DirectoryTree.delete(folder, new NioEngine());
        return fault;
    }

    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, int[] values) throws IOException;
    }

    /** The failure of each rank, empty where there was none. */
    private static List<String> onEachRank(RunFixture run, List<FaultyEngine> engines, Body body) throws IOException {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        ThreadCommunicator.run(RANKS, comm -> {
            String outcome = "";
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(engines.get(comm.rank()))
                    .freshStartIfUnrecoverable()
                    .open()) {
                int[] values = new int[INTS];
                TwoVariables.protect(checkpoints, values);
                body.run(checkpoints, values);
            } catch (IOException failed) {
                outcome = failed.toString();
            }
            synchronized (outcomes) {
                outcomes.set(comm.rank(), outcome);
            }
        });
        return outcomes;
    }

    /** What a restart brings back: the same on all ranks, 0 for a fresh start. */
    private static int restored(RunFixture run) throws IOException {
        Set<Integer> restored = Collections.synchronizedSet(new TreeSet<>());
        run.run(
                RANKS,
                (builder, rank) -> builder.storage(new FaultyEngine(new NioEngine(), false)),
                (checkpoints, comm) -> {
                    int[] values = new int[INTS];
                    TwoVariables.protect(checkpoints, values);
                    if (checkpoints.isRestart()) {
                        checkpoints.recover();
                        for (int i = 0; i < INTS; i++) {
                            assertThat(values[i]).isEqualTo(values[0] + i);
                        }
                    }
                    restored.add(values[0]);
                });
        assertThat(restored).hasSize(1);
        return restored.iterator().next();
    }

    private static void setAll(int[] values, int step) {
        for (int i = 0; i < INTS; i++) {
            values[i] = step + i;
        }
    }
}
