package io.drumlin.checkpoint.elastic;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.ElementMaps;
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

/**
 * A run that goes on with another number of ranks is killed or loses power, anywhere from its start until its first checkpoint is taken. The
 * former number of ranks, the new one and a third all recover a whole checkpoint, and can take the next.
 */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class OtherRanksCrashTest {

    private static final int LENGTH = 3001;

    /** What the former run has stored at level 4, and after it at the level that only its own number of ranks can use. */
    private static final int GLOBAL = 10_000;

    private static final int LOCAL = 20_000;
    /** What the new run stores. */
    private static final int NEW = 30_000;

    @TempDir(factory = InMemory.class)
    Path directory;

    private int former;
    private int present;
    private Level newLevel;
    private Path recorded;
    private CrashJournal journal;
    private int begin;
    private int end;

    @ParameterizedTest
    @CsvSource({"POWER_LOSS, 3, 2, 1, L4, 3, REPLACED", "KILL, 2, 3, 1, L4, 1, TMP"})
    void prefixesAreRecoverable(
            Crash crash, int formerRanks, int newRanks, String groupSize, Level level, String ioMode, CommitSlot left)
            throws IOException {
        crash(crash, formerRanks, newRanks, groupSize, level, ioMode, left, 8);
    }

    private void crash(
            Crash crash,
            int formerRanks,
            int newRanks,
            String groupSize,
            Level level,
            String ioMode,
            CommitSlot left,
            int stride)
            throws IOException {
        former = formerRanks;
        present = newRanks;
        newLevel = level;
        record(Map.of("basic.node_size", "1", "basic.group_size", groupSize, "basic.ckpt_io", ioMode), left);
        replay(crash, newRanks + 2, stride);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "POWER_LOSS, 3, 2, 1, L4, 3, REPLACED",
        "KILL, 2, 3, 1, L4, 1, TMP",
        "POWER_LOSS, 2, 3, 1, L4, 3, TMP",
        "KILL, 3, 2, 1, L1, 3, REPLACED",
        "POWER_LOSS, 4, 2, 2, L2, 1, TMP",
        "KILL, 2, 3, 1, L4, 3, COMMITTED",
        "KILL, 3, 2, 1, L4, 3, TMP",
        "KILL, 2, 3, 1, L1, 3, TMP",
        "POWER_LOSS, 3, 2, 1, L1, 3, COMMITTED",
        "KILL, 2, 4, 2, L2, 3, COMMITTED",
        "POWER_LOSS, 4, 2, 2, L3, 3, TMP",
        "POWER_LOSS, 3, 2, 1, L4, 1, COMMITTED",
        "KILL, 3, 2, 1, L1, 1, REPLACED",
        "KILL, 3, 2, 1, L4, 2, COMMITTED",
        "POWER_LOSS, 2, 3, 1, L1, 2, TMP",
        "KILL, 3, 2, 1, L1, 4, COMMITTED",
        "POWER_LOSS, 2, 3, 1, L4, 4, REPLACED"
    })
    void everyPrefixIsRecoverable(
            Crash crash, int formerRanks, int newRanks, String groupSize, Level level, String ioMode, CommitSlot left)
            throws IOException {
        crash(crash, formerRanks, newRanks, groupSize, level, ioMode, left, 1);
    }

    @ParameterizedTest
    @CsvSource("POWER_LOSS, 3, 2")
    void prefixesWithADifferentialCheckpointAreRecoverable(Crash crash, int formerRanks, int newRanks)
            throws IOException {
        crashWithADifferentialCheckpoint(crash, formerRanks, newRanks, 8);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"POWER_LOSS, 3, 2", "KILL, 2, 3"})
    void everyPrefixWithADifferentialCheckpointIsRecoverable(Crash crash, int formerRanks, int newRanks)
            throws IOException {
        crashWithADifferentialCheckpoint(crash, formerRanks, newRanks, 1);
    }

    private void crashWithADifferentialCheckpoint(Crash crash, int formerRanks, int newRanks, int stride)
            throws IOException {
        former = formerRanks;
        present = newRanks;
        newLevel = Level.L4_DCP;
        record(
                RunFixture.settings("node_size=1, enable_dcp=1, dcp_mode=1, dcp_block_size=512, dcp_stack_size=2"),
                CommitSlot.TMP);
        replay(crash, newRanks + 2, stride);
    }

    private void record(Map<String, String> changes, CommitSlot left) throws IOException {
        recorded = Files.createDirectories(directory.resolve("run"));
        RunFixture run = new RunFixture(recorded, changes);
        Path config = run.config();
        FaultyEngine storage = engine();
        onEachRank(former, config, storage, (checkpoints, values) -> {
            set(values, checkpoints, GLOBAL);
            checkpoints.checkpoint(1, newLevel == Level.L4_DCP ? newLevel : Level.L4);
            set(values, checkpoints, LOCAL);
            checkpoints.checkpoint(2, localLevel());
            checkpoints.await();
        });
        leave(left, run);
        journal = storage.record(recorded);
        onEachRank(present, config, storage, (checkpoints, values) -> {
            requireStep(checkpoints, values, Set.of(GLOBAL));
            set(values, checkpoints, NEW);
            begin = position(checkpoints);
            checkpoints.checkpoint(3, newLevel);
            checkpoints.await();
            end = position(checkpoints);
        });
    }

    private Level localLevel() {
        return newLevel.isGlobal() ? Level.L1 : newLevel;
    }

    /** Leaves the node-local checkpoint of the former run where a kill in a commit does. */
    private void leave(CommitSlot left, RunFixture run) throws IOException {
        List<Path> roots = new ArrayList<>(List.of(recorded.resolve("Meta")));
        for (int node = 0; node < former; node++) {
            roots.add(recorded.resolve("Local/node" + node));
        }
        for (Path parent : roots) {
            Path root = parent.resolve(run.restartValue("exec_id"));
            Path committed = RunDirectory.committed(root, localLevel());
            if (left != CommitSlot.COMMITTED && Files.exists(committed)) {
                Files.move(
                        committed,
                        left == CommitSlot.TMP ? RunDirectory.tmp(root) : RunDirectory.replaced(root, localLevel()));
            }
        }
    }

    /** The same on all ranks: nobody writes between the barriers. */
    private int position(Checkpoints checkpoints) throws IOException {
        checkpoints.communicator().barrier();
        int position = journal.size();
        checkpoints.communicator().barrier();
        return position;
    }

    /** The states after one of {@code stride} operations, each with several numbers of ranks. */
    private void replay(Crash crash, int third, int stride) throws IOException {
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        List<Integer> numbers = List.of(former, present, third);
        Set<String> seen = new HashSet<>();
        for (int prefix = random.nextInt(stride); prefix <= journal.size(); prefix += stride) {
            Remains remains = journal.crash(prefix, crash, random);
            if (seen.add(remains.checksum() + " " + (prefix > begin) + (prefix >= end))) {
                for (int ranks : numbers) {
                    goOn(remains, prefix, ranks, numbers.get(random.nextInt(numbers.size())));
                }
            }
        }
        System.out.printf("%d different remains%n", seen.size());
    }

    /** Restarts, and once more before there is a checkpoint; takes one, and restarts from that. */
    private void goOn(Remains remains, int prefix, int first, int second) throws IOException {
        Path copy = Files.createDirectories(directory.resolve("replay"));
        remains.write(copy);
        Path config = copy.resolve("config.fti");
        Files.writeString(config, Files.readString(config).replace(recorded.toString(), copy.toString()));
        String story = first + " ranks, then " + second + ", after " + prefix
                + " operations, of which the new checkpoint took " + begin + " to " + end + ", the last of them "
                + journal.operations().subList(Math.max(0, prefix - 3), prefix);

        try {
            goOn(config, prefix, first, second);
        } catch (IOException | AssertionError e) {
            throw new AssertionError(story, e);
        }
        DirectoryTree.delete(copy, new NioEngine());
    }

    private void goOn(Path config, int prefix, int first, int second) throws IOException {
        restart(first, config, steps(first, prefix));
        onEachRank(second, config, engine(), (checkpoints, values) -> {
            requireStep(checkpoints, values, steps(second, prefix));
            set(values, checkpoints, 100_000);
            checkpoints.checkpoint(9, Level.L1);
        });
        restart(second, config, Set.of(100_000));
    }

    /** What a number of ranks may recover: a node-local checkpoint if it is its own, and one that was taken until then. */
    private Set<Integer> steps(int ranks, int prefix) {
        boolean global = newLevel.isGlobal();
        if (prefix >= end) {
            return Set.of(global || ranks == present ? NEW : GLOBAL);
        }
        if (prefix <= begin) {
            return Set.of(ranks == former ? LOCAL : GLOBAL);
        }
        if (ranks == former) {
            return global ? Set.of(LOCAL, GLOBAL, NEW) : Set.of(LOCAL, GLOBAL);
        }
        return global || ranks == present ? Set.of(GLOBAL, NEW) : Set.of(GLOBAL);
    }

    private static void restart(int ranks, Path config, Set<Integer> steps) throws IOException {
        onEachRank(ranks, config, engine(), (checkpoints, values) -> requireStep(checkpoints, values, steps));
    }

    private static void requireStep(Checkpoints checkpoints, int[] values, Set<Integer> steps) throws IOException {
        assertThat(checkpoints.isRestart()).isTrue();
        checkpoints.recover();
        int step = values[0] - firstElement(checkpoints);
        assertThat(step).isIn(steps);
        int[] whole = values.clone();
        set(whole, checkpoints, step);
        assertThat(values).isEqualTo(whole);
    }

    private static void set(int[] values, Checkpoints checkpoints, int step) {
        int first = firstElement(checkpoints);
        Arrays.setAll(values, i -> step + first + i);
    }

    private static int firstElement(Checkpoints checkpoints) {
        int ranks = checkpoints.communicator().size();
        int rank = checkpoints.communicator().rank();
        return rank * (LENGTH / ranks) + Math.min(rank, LENGTH % ranks);
    }

    /** The journal knows what was synced; the device need not. */
    private static FaultyEngine engine() {
        return new FaultyEngine(new NioEngine(), false);
    }

    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, int[] values) throws IOException;
    }

    private static void onEachRank(int ranks, Path config, StorageEngine storage, Body body) throws IOException {
        Distribution distribution = Distribution.block(LENGTH);
        ThreadCommunicator.run(ranks, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(config)
                    .communicator(comm)
                    .storage(storage)
                    .anyNumberOfRanks()
                    .open()) {
                int[] values = new int[Math.toIntExact(ElementMaps.places(distribution, comm.rank(), ranks))];
                checkpoints.protect(0, values);
                checkpoints.distribute(0, distribution);
                body.run(checkpoints, values);
            }
        });
    }
}
