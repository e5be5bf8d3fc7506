package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.TwoVariables;
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
import java.util.HashMap;
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

/**
 * Every state that a kill or a power loss can leave on disk is one a restart recovers from, with the checkpoint that was under
 * way or the one before it.
 */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class CrashTest {

    private static final int INTS = 20_000;

    @TempDir(factory = InMemory.class)
    Path directory;

    private int ranks;
    private int nodeSize = 1;
    private List<Level> levels;
    /** Whether variables are added to the checkpoints one after the other. */
    private boolean incremental;

    private Path recorded;
    private RunFixture run;
    private CrashJournal journal;
    private final List<Integer> begins = new ArrayList<>();
    private final List<Integer> ends = new ArrayList<>();
    /** Where the run begins to complete; until then a fresh start would be a loss. */
    private int completion = Integer.MAX_VALUE;

    /** When the files of a node are lost. */
    private enum Loss {
        NEVER,
        WITH_THE_CRASH,
        AFTER_THE_RESTART
    }

    @ParameterizedTest
    @CsvSource({"KILL, 0, 0, 3", "POWER_LOSS, 1, 0, 3", "POWER_LOSS, 0, 0, 1", "KILL, 0, 1, 2", "POWER_LOSS, 0, 1, 4"})
    void prefixesOfARunAreRecoverable(Crash crash, String keepLast, String keepL4, String ioMode) throws IOException {
        prefixesOfARun(crash, keepLast, keepL4, ioMode, 16);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "KILL, 0, 0, 3",
        "POWER_LOSS, 1, 0, 3",
        "POWER_LOSS, 0, 0, 1",
        "KILL, 0, 1, 2",
        "POWER_LOSS, 0, 1, 4",
        "POWER_LOSS, 0, 0, 3",
        "POWER_LOSS, 0, 1, 3",
        "KILL, 1, 0, 1",
        "KILL, 1, 0, 3",
        "KILL, 0, 1, 3",
        "KILL, 0, 0, 1",
        "POWER_LOSS, 0, 1, 1",
        "POWER_LOSS, 1, 0, 2",
        "KILL, 1, 0, 4"
    })
    void everyPrefixOfARunIsRecoverable(Crash crash, String keepLast, String keepL4, String ioMode) throws IOException {
        prefixesOfARun(crash, keepLast, keepL4, ioMode, 1);
    }

    private void prefixesOfARun(Crash crash, String keepLast, String keepL4, String ioMode, int stride)
            throws IOException {
        ranks = 2;
        levels = List.of(Level.L1, Level.L1, Level.L1, Level.L4, Level.L4, Level.L1);
        record(RunFixture.settings(
                "node_size=1, keep_last_ckpt=" + keepLast + ", keep_l4_ckpt=" + keepL4 + ", ckpt_io=" + ioMode));
        replay(crash, Loss.NEVER, stride);
    }

    /** The layers that are restarted from are never updated, nor is the file of them deleted before there is another. */
    @ParameterizedTest
    @CsvSource({"POWER_LOSS, 0, 3", "KILL, 1, 3", "POWER_LOSS, 0, 1"})
    void prefixesOfARunWithDifferentialCheckpointsAreRecoverable(Crash crash, String keepLast, String ioMode)
            throws IOException {
        prefixesOfDifferential(crash, keepLast, ioMode, 24);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"POWER_LOSS, 0, 3", "KILL, 1, 3", "POWER_LOSS, 0, 1", "KILL, 0, 3", "KILL, 0, 1", "KILL, 1, 1"})
    void everyPrefixOfARunWithDifferentialCheckpointsIsRecoverable(Crash crash, String keepLast, String ioMode)
            throws IOException {
        prefixesOfDifferential(crash, keepLast, ioMode, 1);
    }

    private void prefixesOfDifferential(Crash crash, String keepLast, String ioMode, int stride) throws IOException {
        ranks = 2;
        levels = List.of(
                Level.L4_DCP, Level.L4_DCP, Level.L4_DCP, Level.L1, Level.L4_DCP, Level.L4_DCP, Level.L4, Level.L4_DCP);
        record(differential(keepLast, ioMode));
        replay(crash, Loss.NEVER, stride);
    }

    private static Map<String, String> differential(String keepLast, String ioMode) {
        return RunFixture.settings("node_size=1, keep_last_ckpt=" + keepLast + ", ckpt_io=" + ioMode
                + ", enable_dcp=1, dcp_mode=1, dcp_block_size=512, dcp_stack_size=2");
    }

    /** A file that gets its variables one by one is taken for a checkpoint only when all are in it. */
    @ParameterizedTest
    @CsvSource({"KILL, 3", "POWER_LOSS, 1", "KILL, 2", "POWER_LOSS, 4", "POWER_LOSS, 5"})
    void prefixesOfARunWithIncrementalCheckpointsAreRecoverable(Crash crash, String ioMode) throws IOException {
        prefixesOfIncremental(crash, ioMode, 40);
    }

    @ParameterizedTest
    @Tag("soak")
    @CsvSource({
        "KILL, 1", "KILL, 2", "KILL, 3", "KILL, 4", "KILL, 5",
        "POWER_LOSS, 1", "POWER_LOSS, 2", "POWER_LOSS, 3", "POWER_LOSS, 4", "POWER_LOSS, 5"
    })
    void everyPrefixOfARunWithIncrementalCheckpointsIsRecoverable(Crash crash, String ioMode) throws IOException {
        prefixesOfIncremental(crash, ioMode, 1);
    }

    private void prefixesOfIncremental(Crash crash, String ioMode, int stride) throws IOException {
        ranks = 2;
        levels = List.of(Level.L1, Level.L1, Level.L4, Level.L4, Level.L1);
        incremental = true;
        record(Map.of("basic.node_size", "1", "basic.keep_last_ckpt", "1", "basic.ckpt_io", ioMode));
        replay(crash, Loss.NEVER, stride);
    }

    @ParameterizedTest
    @CsvSource({"POWER_LOSS, WITH_THE_CRASH, 3", "KILL, AFTER_THE_RESTART, 5"})
    void prefixesOfARunWithRedundantIncrementalCheckpointsAreRecoverable(Crash crash, Loss loss, String ioMode)
            throws IOException {
        ranks = 3;
        levels = List.of(Level.L2, Level.L1, Level.L3, Level.L2, Level.L1);
        incremental = true;
        record(withGroups(ioMode));
        replay(crash, loss, 48);
    }

    @ParameterizedTest
    @CsvSource({"POWER_LOSS, 3", "KILL, 1"})
    void prefixesOfARunWithDifferentialIncrementalCheckpointsAreRecoverable(Crash crash, String ioMode)
            throws IOException {
        ranks = 2;
        levels = List.of(Level.L4_DCP, Level.L4_DCP, Level.L4_DCP, Level.L1, Level.L4_DCP, Level.L4);
        incremental = true;
        record(differential("1", ioMode));
        replay(crash, Loss.NEVER, 32);
    }

    @ParameterizedTest
    @CsvSource("KILL, NEVER, 3")
    void prefixesOfARunWithIncrementalCheckpointsOfHeadsAreRecoverable(Crash crash, Loss loss, String ioMode)
            throws IOException {
        ranks = 4;
        nodeSize = 2;
        levels = List.of(Level.L2, Level.L4, Level.L3, Level.L1, Level.L4);
        incremental = true;
        record(withHeads(ioMode));
        replay(crash, loss, 15);
    }

    /** With redundancy: what was done at level 2 or above also stands the loss of a node. */
    @ParameterizedTest
    @CsvSource({
        "KILL, 1, NEVER, 3",
        "KILL, 0, WITH_THE_CRASH, 3",
        "POWER_LOSS, 0, AFTER_THE_RESTART, 3",
        "KILL, 1, NEVER, 1",
        "POWER_LOSS, 0, WITH_THE_CRASH, 1",
        "KILL, 0, AFTER_THE_RESTART, 1"
    })
    void prefixesOfARunAtAllLevelsAreRecoverable(Crash crash, String keepLast, Loss loss, String ioMode)
            throws IOException {
        prefixesAtAllLevels(crash, keepLast, loss, ioMode, 60);
    }

    @ParameterizedTest
    @Tag("soak")
    @CsvSource({
        "KILL, 0, NEVER", "KILL, 0, WITH_THE_CRASH", "KILL, 0, AFTER_THE_RESTART",
        "KILL, 1, NEVER", "KILL, 1, WITH_THE_CRASH", "KILL, 1, AFTER_THE_RESTART",
        "POWER_LOSS, 0, NEVER", "POWER_LOSS, 0, WITH_THE_CRASH", "POWER_LOSS, 0, AFTER_THE_RESTART",
        "POWER_LOSS, 1, NEVER", "POWER_LOSS, 1, WITH_THE_CRASH", "POWER_LOSS, 1, AFTER_THE_RESTART"
    })
    void everyPrefixOfARunAtAllLevelsIsRecoverable(Crash crash, String keepLast, Loss loss) throws IOException {
        prefixesAtAllLevels(crash, keepLast, loss, "3", 1);
    }

    private void prefixesAtAllLevels(Crash crash, String keepLast, Loss loss, String ioMode, int stride)
            throws IOException {
        ranks = 3;
        levels = List.of(
                Level.L2, Level.L1, Level.L3, Level.L2, Level.L1, Level.L3, Level.L1, Level.L2, Level.L4, Level.L1);
        record(RunFixture.settings("node_size=1, group_size=3, keep_last_ckpt=" + keepLast + ", ckpt_io=" + ioMode));
        replay(crash, loss, stride);
    }

    /** Checkpoints that a thread takes behind the computation; one is done when the application has waited for it. */
    @ParameterizedTest
    @CsvSource({"KILL, NEVER, 3", "POWER_LOSS, WITH_THE_CRASH, 1"})
    void prefixesOfARunWithThreadsAreRecoverable(Crash crash, Loss loss, String ioMode) throws IOException {
        ranks = 2;
        levels = List.of(Level.L2, Level.L1, Level.L4, Level.L3, Level.L1);
        record(Map.of("drumlin.async", "1", "basic.node_size", "1", "basic.group_size", "2", "basic.ckpt_io", ioMode));
        replay(crash, loss, 26);
    }

    /** Checkpoints that heads finish behind the computation; one is done when the application has waited for it. */
    @ParameterizedTest
    @CsvSource({
        "KILL, NEVER, 3",
        "KILL, WITH_THE_CRASH, 1",
        "POWER_LOSS, AFTER_THE_RESTART, 3",
        "POWER_LOSS, NEVER, 1",
        "KILL, NEVER, 2"
    })
    void prefixesOfARunWithHeadsAreRecoverable(Crash crash, Loss loss, String ioMode) throws IOException {
        ranks = 4;
        nodeSize = 2;
        levels = List.of(Level.L2, Level.L4, Level.L3, Level.L1, Level.L2, Level.L4, Level.L4);
        record(withHeads(ioMode));
        replay(crash, loss, 20);
    }

    /** An ordinary checkpoint counts from when the heads commit it: one of that level before may be older than a differential one. */
    @ParameterizedTest
    @CsvSource({"KILL, 3", "POWER_LOSS, 3", "KILL, 1"})
    void prefixesOfARunWithHeadsAndDifferentialCheckpointsAreRecoverable(Crash crash, String ioMode)
            throws IOException {
        prefixesOfHeadsAndDifferential(crash, ioMode, 26);
    }

    @ParameterizedTest
    @Tag("soak")
    @CsvSource({"KILL, 3", "POWER_LOSS, 3", "KILL, 1", "POWER_LOSS, 1"})
    void everyPrefixOfARunWithHeadsAndDifferentialCheckpointsIsRecoverable(Crash crash, String ioMode)
            throws IOException {
        prefixesOfHeadsAndDifferential(crash, ioMode, 1);
    }

    private void prefixesOfHeadsAndDifferential(Crash crash, String ioMode, int stride) throws IOException {
        ranks = 4;
        nodeSize = 2;
        levels = List.of(Level.L4, Level.L4_DCP, Level.L4, Level.L4_DCP, Level.L3, Level.L4_DCP, Level.L2, Level.L4);
        Map<String, String> both = new HashMap<>(differential("0", ioMode));
        both.putAll(withHeads(ioMode));
        record(both);
        replay(crash, Loss.NEVER, stride);
    }

    private static Map<String, String> withHeads(String ioMode) {
        return RunFixture.settings(
                "head=1, node_size=2, group_size=2, inline_l2=0, inline_l3=0, inline_l4=0, keep_last_ckpt=1, ckpt_io="
                        + ioMode);
    }

    /** A restart from level 1 must not leave the one above it half committed. */
    @ParameterizedTest
    @CsvSource({"L2, 3", "L3, 1"})
    void aCommitIsNotLeftHalfDone(Level level, String ioMode) throws IOException {
        prefixesOfCommits(level, ioMode, 14);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"L2, 3", "L3, 1", "L3, 3", "L2, 1"})
    void noCommitIsLeftHalfDone(Level level, String ioMode) throws IOException {
        prefixesOfCommits(level, ioMode, 1);
    }

    private void prefixesOfCommits(Level level, String ioMode, int stride) throws IOException {
        ranks = 3;
        levels = List.of(level, Level.L1, level);
        record(withGroups(ioMode));
        replay(Crash.KILL, Loss.AFTER_THE_RESTART, stride);
    }

    /** A level that was deleted in part must not leave one that is older. */
    @ParameterizedTest
    @CsvSource({"L3, NEVER, 3", "L4, WITH_THE_CRASH, 1"})
    void lowerLevelsAreDeletedFromTheOldest(Level last, Loss loss, String ioMode) throws IOException {
        prefixesOfDeletions(last, loss, ioMode, 14);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"L3, NEVER, 3", "L4, WITH_THE_CRASH, 1", "L4, NEVER, 3", "L4, WITH_THE_CRASH, 3", "L3, NEVER, 1"})
    void lowerLevelsAreAlwaysDeletedFromTheOldest(Level last, Loss loss, String ioMode) throws IOException {
        prefixesOfDeletions(last, loss, ioMode, 1);
    }

    private void prefixesOfDeletions(Level last, Loss loss, String ioMode, int stride) throws IOException {
        ranks = 3;
        levels = loss == Loss.NEVER ? List.of(Level.L2, Level.L1, last) : List.of(Level.L3, Level.L2, last);
        record(withGroups(ioMode));
        replay(Crash.KILL, loss, stride);
    }

    private static Map<String, String> withGroups(String ioMode) {
        return Map.of(
                "basic.node_size", "1", "basic.group_size", "3", "basic.keep_last_ckpt", "1", "basic.ckpt_io", ioMode);
    }

    private void replay(Crash crash, Loss loss, int stride) throws IOException {
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        Set<String> seen = new HashSet<>();
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            Remains remains = journal.crash(prefix, crash, random);
            Expectation expected = expectation(prefix);
            // Many an operation, such as a sync, leaves nothing that was not there before.
            if (seen.add(remains.checksum() + " " + expected)) {
                Path copy = write(remains, prefix);
                check(prefix, expected, copy, loss, random.nextInt(ranks / nodeSize));
                DirectoryTree.delete(copy, new NioEngine());
            }
        }
        System.out.printf("%d different remains%n", seen.size());
    }

    /** While lost files are made again the job dies once more, or the node fails again; afterwards another node may fail. */
    @ParameterizedTest
    @CsvSource({"KILL, L2", "POWER_LOSS, L2", "KILL, L3", "POWER_LOSS, L3"})
    void prefixesOfARestorationAreRecoverable(Crash crash, Level level) throws IOException {
        prefixesOfARestoration(crash, level, 4);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"KILL, L2", "POWER_LOSS, L2", "KILL, L3", "POWER_LOSS, L3"})
    void everyPrefixOfARestorationIsRecoverable(Crash crash, Level level) throws IOException {
        prefixesOfARestoration(crash, level, 1);
    }

    private void prefixesOfARestoration(Crash crash, Level level, int stride) throws IOException {
        ranks = 3;
        // Slabs so small that the variables have messages of their own.
        prepare(Map.of("basic.node_size", "1", "basic.group_size", "3", "drumlin.slab_memory", "2"));
        FaultyEngine storage = engine();
        onEachRank(run.config(), storage, (checkpoints, values) -> {
            setAll(values, 7);
            checkpoints.checkpoint(1, level);
        });
        DirectoryTree.delete(recorded.resolve("Local/node1"), new NioEngine());
        journal = storage.record(recorded);
        onEachRank(run.config(), storage, (checkpoints, values) -> {
            assertThat(checkpoints.isRestart()).isTrue();
            note(checkpoints, ends);
        });
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            Path copy = write(journal.crash(prefix, crash, random), prefix);
            if (prefix >= ends.get(0)) {
                DirectoryTree.delete(copy.resolve("Local/node2"), new NioEngine());
            } else if (random.nextBoolean()) {
                DirectoryTree.delete(copy.resolve("Local/node1"), new NioEngine());
            }
            restart(copy.resolve("config.fti"), new Expectation(7, 7, 7, false), story(prefix));
            DirectoryTree.delete(copy, new NioEngine());
        }
    }

    private void prepare(Map<String, String> changes) throws IOException {
        recorded = Files.createDirectories(directory.resolve("run"));
        run = new RunFixture(recorded, changes);
    }

    /** Takes a first checkpoint that is durable, then writes down all that happens until the run is complete. */
    private void record(Map<String, String> changes) throws IOException {
        prepare(changes);
        FaultyEngine storage = engine();
        onEachRank(run.config(), storage, (checkpoints, values) -> {
            setAll(values, 0);
            take(checkpoints, values, 1, levels.get(0));
            checkpoints.await();
        });
        journal = storage.record(recorded);
        onEachRank(run.config(), storage, (checkpoints, values) -> {
            checkpoints.recover();
            for (int step = 1; step < levels.size(); step++) {
                setAll(values, step);
                note(checkpoints, begins);
                take(checkpoints, values, 1 + step % 2, levels.get(step));
                checkpoints.await();
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

    private void take(Checkpoints checkpoints, int[] values, int ckptId, Level level) throws IOException {
        if (incremental) {
            TwoVariables.checkpoint(checkpoints, values, ckptId, level);
        } else {
            checkpoints.checkpoint(ckptId, level);
        }
    }

    /** The journal knows what was synced; the device need not. */
    private static FaultyEngine engine() {
        return new FaultyEngine(new NioEngine(), false);
    }

    private Path write(Remains remains, int prefix) throws IOException {
        Path copy = Files.createDirectories(directory.resolve("replay-" + prefix));
        remains.write(copy);
        Path config = copy.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace(recorded.toString(), copy.toString()));
        return copy;
    }

    private String story(int prefix) {
        return "after " + prefix + " operations, the last of them "
                + journal.operations().subList(Math.max(0, prefix - 3), prefix);
    }

    private void note(Checkpoints checkpoints, List<Integer> positions) throws IOException {
        checkpoints.communicator().barrier();
        if (checkpoints.communicator().rank() == 0) {
            positions.add(journal.size());
        }
        checkpoints.communicator().barrier();
    }

    /**
     * What a restart may find.
     *
     * @param least the last checkpoint that was done
     * @param redundant the last one that was done and stands the loss of a node
     * @param most the last one that was begun
     * @param completing whether the run may be gone
     */
    private record Expectation(int least, int redundant, int most, boolean completing) {

        Expectation afterLoss() {
            return new Expectation(redundant, redundant, most, completing);
        }
    }

    private Expectation expectation(int prefix) {
        int done = (int) ends.stream().filter(position -> position <= prefix).count();
        int begun = (int) begins.stream().filter(position -> position < prefix).count();
        int redundant = done;
        while (redundant > 0 && levels.get(redundant) == Level.L1) {
            redundant--;
        }
        return new Expectation(done, redundant, begun, prefix > completion);
    }

    private void check(int prefix, Expectation expected, Path copy, Loss loss, int node) throws IOException {
        Path config = copy.resolve("config.fti");
        Path lost = copy.resolve("Local/node" + node);
        String story = "node " + node + " lost " + loss + " " + story(prefix);
        if (loss == Loss.WITH_THE_CRASH) {
            DirectoryTree.delete(lost, new NioEngine());
        }
        restart(config, loss == Loss.WITH_THE_CRASH ? expected.afterLoss() : expected, story);
        if (loss == Loss.AFTER_THE_RESTART) {
            DirectoryTree.delete(lost, new NioEngine());
        }
        // A second failure before the next checkpoint, and then life goes on.
        Expectation again = loss == Loss.NEVER ? expected : expected.afterLoss();
        onEachRank(config, engine(), (checkpoints, values) -> {
            checkRecovery(checkpoints, values, again, "second restart " + story);
            setAll(values, 100);
            checkpoints.checkpoint(9, Level.L1);
        });
        restart(config, new Expectation(100, 100, 100, false), "last restart " + story);
    }

    private void restart(Path config, Expectation expected, String story) throws IOException {
        onEachRank(config, engine(), (checkpoints, values) -> checkRecovery(checkpoints, values, expected, story));
    }

    private static void checkRecovery(Checkpoints checkpoints, int[] values, Expectation expected, String story)
            throws IOException {
        if (!checkpoints.isRestart()) {
            assertThat(expected.completing).as("fresh start " + story).isTrue();
            return;
        }
        checkpoints.recover();
        assertThat(values[0]).as(story).isBetween(expected.least, expected.most);
        int[] whole = new int[INTS];
        setAll(whole, values[0]);
        assertThat(values).isEqualTo(whole);
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

    private void onEachRank(Path config, StorageEngine storage, Body body) throws IOException {
        ThreadCommunicator.run(ranks, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(config)
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                if (!checkpoints.isHead()) {
                    int[] values = new int[INTS];
                    TwoVariables.protect(checkpoints, values);
                    body.run(checkpoints, values);
                }
            }
        });
    }
}
