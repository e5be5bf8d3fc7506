package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the levels promise: which losses a restart stands, with node-local directories deleted for the nodes. Every mode has a subclass, and
 * so has every layout of the mode FTI-FF.
 */
public abstract class LevelsContract {

    @TempDir
    protected Path directory;

    /** The mode, or the layout, as a configuration says it. */
    protected abstract Map<String, String> mode();

    /** What the names of files end with. */
    protected String suffix() {
        return ".fti";
    }

    /** Pairs of lost nodes: level 2 stands it when they are not neighbours, level 3 in groups of four and more. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"2, 3", "2, 4", "2, 8", "3, 3", "3, 4", "3, 8"})
    void pairsOfNodesAreLost(int level, int groupSize) throws IOException {
        losePairs(level, groupSize, groupSize <= 4 ? groupSize - 2 : 8);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"2, 4", "2, 8", "3, 4", "3, 8"})
    void everyPairOfNodesIsLost(int level, int groupSize) throws IOException {
        losePairs(level, groupSize, 1);
    }

    /** One of {@code stride} pairs. */
    private void losePairs(int level, int groupSize, int stride) throws IOException {
        Random random = seeded();
        for (int first = 0; first < groupSize; first++) {
            for (int second = first; second < groupSize; second++) {
                if (random.nextInt(stride) != 0) {
                    continue;
                }
                Path run = Files.createDirectory(directory.resolve(first + "-" + second));
                int distance = second - first;
                boolean neighbours = distance == 1 || distance == groupSize - 1;
                boolean promised = distance == 0 || (level == 2 ? !neighbours : groupSize / 2 >= 2);
                loseAndRestart(run, level, groupSize, new HashSet<>(List.of(first, second)), promised);
            }
        }
    }

    private void loseAndRestart(Path at, int level, int groupSize, Set<Integer> nodes, boolean promised)
            throws IOException {
        RunFixture run = run(at, groupSize, mode());
        run.run(groupSize, (checkpoints, comm) -> {
            byte[] values = protect(checkpoints, comm);
            fill(values, comm.rank(), 1);
            checkpoints.checkpoint(7, Level.of(level));
        });
        for (int node : nodes) {
            run.loseNode(node);
        }
        if (!promised) {
            assertThatThrownBy(() -> run.run(groupSize, (checkpoints, comm) -> {}))
                    .as("nodes %s", nodes)
                    .hasMessageContaining("at no level");
            return;
        }
        // Twice, with other files lost in between: the first restart has made the redundancy anew.
        for (int restart = 0; restart < 2; restart++) {
            run.run(groupSize, (checkpoints, comm) -> {
                assertThat(checkpoints.status()).isEqualTo(Status.RESTART);
                assertThat(checkpoints.lastLevel()).contains(Level.of(level));
                byte[] values = protect(checkpoints, comm);
                checkpoints.recover();
                assertThat(values).isEqualTo(fill(new byte[values.length], comm.rank(), 1));
            });
            run.loseNode((restart + 1) % groupSize);
        }
    }

    /** Files of different sizes, the largest odd and even, the lost ones among them: the last byte of each must come back. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void lostFilesComeBackByteForByte(int more) throws IOException {
        RunFixture run = run(directory, 4, mode());
        run.run(4, (checkpoints, comm) -> {
            byte[] values = new byte[5000 + 777 * comm.rank() + more];
            checkpoints.protect(0, values);
            fill(values, comm.rank(), 3);
            checkpoints.checkpoint(1, Level.L3);
        });
        Map<String, byte[]> before = contents(run);
        assertThat(before).hasSize(8);
        run.loseNode(0);
        run.loseNode(3);
        run.run(4, (checkpoints, comm) -> {});
        Map<String, byte[]> after = contents(run);
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((name, bytes) -> assertThat(after.get(name)).as(name).isEqualTo(bytes));
    }

    /** An odd size takes a step more: all groups go it, or some ranks would wait for the others. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void groupsWithOddAndWithEvenSizesAreRebuiltTogether(int lostSector) throws IOException {
        RunFixture run = run(directory, 2, mode());
        run.run(4, (checkpoints, comm) -> {
            byte[] values = new byte[1000 + comm.rank() / 2];
            checkpoints.protect(0, values);
            fill(values, comm.rank(), 3);
            checkpoints.checkpoint(1, Level.L3);
        });
        Map<String, byte[]> before = contents(run);
        run.loseNode(2 * lostSector);
        run.run(4, (checkpoints, comm) -> {});
        Map<String, byte[]> after = contents(run);
        assertThat(after.keySet()).isEqualTo(before.keySet());
        before.forEach((name, bytes) -> assertThat(after.get(name)).as(name).isEqualTo(bytes));
    }

    /** Rank 1 would get the data of rank 3, whose copy the rank to its right has. */
    @Test
    void copiesOfOtherGroupsAreNotTaken() throws IOException {
        RunFixture run = run(directory, 4, mode());
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L2);
        });
        run.loseNode(1);
        String config = Files.readString(run.config());
        Files.writeString(run.config(), config.replaceFirst("group_size( +)= 4", "group_size$1= 2"));
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
        Files.writeString(run.config(), config);
        run.run(4, (checkpoints, comm) -> {
            int[] values = {-1};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(comm.rank());
        });
    }

    private static Random seeded() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        return new Random(seed);
    }

    @Tag("exhaustive")
    @Test
    void fourOfEightFilesAreEnough() throws IOException {
        loseFiles(8);
    }

    @Tag("soak")
    @Test
    void anyFourOfEightFilesAreEnough() throws IOException {
        loseFiles(1);
    }

    /** As many of the 2k files as the code stands, and one more; one of {@code stride} such sets. */
    private void loseFiles(int stride) throws IOException {
        Random random = seeded();
        for (int lost = 0; lost < 256; lost++) {
            if (Integer.bitCount(lost) > 5 || Integer.bitCount(lost) < 4 || random.nextInt(stride) != 0) {
                continue;
            }
            Path at = Files.createDirectory(directory.resolve("lost-" + lost));
            RunFixture run = run(at, 4, mode());
            run.run(4, (checkpoints, comm) -> {
                fill(protect(checkpoints, comm), comm.rank(), 5);
                checkpoints.checkpoint(2, Level.L3);
            });
            for (int file = 0; file < 8; file++) {
                if ((lost >> file & 1) == 1) {
                    Files.delete(run.file("Ckpt2-" + (file < 4 ? "Rank" : "RSed") + file % 4 + suffix()));
                }
            }
            if (Integer.bitCount(lost) > 4) {
                assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
                continue;
            }
            run.run(4, (checkpoints, comm) -> {
                byte[] values = protect(checkpoints, comm);
                checkpoints.recover();
                assertThat(values).isEqualTo(fill(new byte[values.length], comm.rank(), 5));
            });
            assertThat(contents(run)).hasSize(8);
        }
    }

    /** A rank goes on sending for longer than the pool has slabs, when all of its neighbour's file has come. */
    @ParameterizedTest
    @CsvSource({"0, 2", "1, 2", "0, 3", "1, 3"})
    void filesOfNeighboursMayDifferMuchInSize(int lost, int level) throws IOException {
        RunFixture run = run(directory, 2, with(mode(), "drumlin.slab_memory", "2"));
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, fill(unequal(comm), comm.rank(), 3));
            checkpoints.checkpoint(1, Level.of(level));
        });
        Map<String, byte[]> before = contents(run);
        run.loseNode(lost);
        run.run(2, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(Level.of(level));
            byte[] values = unequal(comm);
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).isEqualTo(fill(unequal(comm), comm.rank(), 3));
        });
        Map<String, byte[]> after = contents(run);
        before.forEach((name, bytes) ->
                assertThat(Arrays.equals(after.get(name), bytes)).as(name).isTrue());
    }

    private static byte[] unequal(Communicator comm) {
        return new byte[comm.rank() == 0 ? 5_000_000 : 100];
    }

    /** A byte that has changed counts as a lost file, in the copy and in the code as well. */
    @ParameterizedTest
    @CsvSource({"2, Rank, Pcof", "3, Rank, RSed"})
    void changedFilesAreNotUsed(int level, String plain, String other) throws IOException {
        RunFixture run = run(directory, 4, mode());
        run.run(4, (checkpoints, comm) -> {
            fill(protect(checkpoints, comm), comm.rank(), 9);
            checkpoints.checkpoint(1, Level.of(level));
        });
        Map<String, byte[]> before = contents(run);
        Tamper.flip(run.file("Ckpt1-" + plain + "0" + suffix()), 100);
        Tamper.flip(run.file("Ckpt1-" + other + "3" + suffix()), 100);
        run.run(4, (checkpoints, comm) -> {
            byte[] values = protect(checkpoints, comm);
            checkpoints.recover();
            assertThat(values).isEqualTo(fill(new byte[values.length], comm.rank(), 9));
        });
        Map<String, byte[]> after = contents(run);
        before.forEach((name, bytes) -> assertThat(after.get(name)).as(name).isEqualTo(bytes));
    }

    /** The lost files are made while the others are verified, and once more in the group where one of these turns out to have changed. */
    @ParameterizedTest
    @ValueSource(strings = {"Rank", "RSed"})
    void aLostNodeAndAChangedFileAreMadeGoodTogether(String changed) throws IOException {
        RunFixture run = run(directory, 4, with(mode(), "basic.node_size", "2"));
        run.run(8, (checkpoints, comm) -> {
            fill(protect(checkpoints, comm), comm.rank(), 9);
            checkpoints.checkpoint(1, Level.L3);
        });
        Map<String, byte[]> before = contents(run);
        run.loseNode(1);
        Tamper.flip(run.file("Ckpt1-" + changed + "4" + suffix()), 100);
        run.run(8, (checkpoints, comm) -> {
            byte[] values = protect(checkpoints, comm);
            checkpoints.recover();
            assertThat(values).isEqualTo(fill(new byte[values.length], comm.rank(), 9));
        });
        assertThat(contents(run)).containsOnlyKeys(before.keySet());
        Map<String, byte[]> after = contents(run);
        before.forEach((name, bytes) -> assertThat(after.get(name)).as(name).isEqualTo(bytes));
    }

    /** The lowest level that is whole is the newest, and one group's loss makes all groups fall back. */
    @Test
    void allGroupsFallBackTogether() throws IOException {
        RunFixture run = run(directory, 2, with(mode(), "basic.node_size", "2"));
        run.run(8, (checkpoints, comm) -> {
            byte[] values = protect(checkpoints, comm);
            for (Level level : List.of(Level.L4, Level.L3, Level.L2, Level.L1)) {
                fill(values, comm.rank(), level.number());
                checkpoints.checkpoint(10 - level.number(), level);
            }
        });
        for (int level = 1; level <= 4; level++) {
            int expected = level;
            run.run(8, (checkpoints, comm) -> {
                assertThat(checkpoints.lastLevel()).contains(Level.of(expected));
                byte[] values = protect(checkpoints, comm);
                checkpoints.recover();
                assertThat(values).isEqualTo(fill(new byte[values.length], comm.rank(), expected));
            });
            if (level == 4) {
                return;
            }
            // Of the second sector only.
            DirectoryTree.delete(
                    run.file("Ckpt" + (10 - level) + "-Rank6" + suffix()).getParent(), new NioEngine());
            DirectoryTree.delete(
                    run.file("Ckpt" + (10 - level) + "-Rank4" + suffix()).getParent(), new NioEngine());
        }
    }

    private static Map<String, String> with(Map<String, String> changes, String key, String value) {
        Map<String, String> all = new HashMap<>(changes);
        all.put(key, value);
        return all;
    }

    private static RunFixture run(Path at, int groupSize, Map<String, String> changes) throws IOException {
        return new RunFixture(at, RunFixture.settings("node_size=1, group_size=" + groupSize, changes));
    }

    /** Sizes that differ from rank to rank, some odd. */
    private static byte[] protect(Checkpoints checkpoints, Communicator comm) {
        byte[] values = new byte[5000 + 777 * comm.rank()];
        checkpoints.protect(0, values);
        return values;
    }

    private static byte[] fill(byte[] values, int rank, int seed) {
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (i * 31 + rank * 7 + seed + (i >> 8));
        }
        return values;
    }

    private static Map<String, byte[]> contents(RunFixture run) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        for (String file : run.files()) {
            if (file.startsWith("Local")) {
                String name = file.replace("X", run.restartValue("exec_id"));
                contents.put(file, Files.readAllBytes(run.directory().resolve(name)));
            }
        }
        return contents;
    }
}
