package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What every mode of {@code ckpt_io} promises a program; each has a subclass. */
abstract class IoModeContract extends LevelsContract {

    static final int RANKS = 4;

    /** The value of {@code ckpt_io}. */
    abstract int ioMode();

    /** The file of level 4 that the last rank's data are in. */
    Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-Rank" + (RANKS - 1) + suffix());
    }

    /** Where in that file a byte of the data is. */
    int placeOfData(Path file) throws IOException {
        return (int) Files.size(file) - 1;
    }

    @Override
    final Map<String, String> mode() {
        return Map.of("basic.ckpt_io", Integer.toString(ioMode()));
    }

    /** A run of this mode on nodes of one rank in groups of two, if the changes do not say otherwise. */
    public final RunFixture make(Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of("basic.node_size", "1", "basic.group_size", "2"));
        all.putAll(mode());
        all.putAll(changes);
        return new RunFixture(directory, all);
    }

    /** Sizes differ, and one rank has nothing. */
    static int[] protect(Checkpoints checkpoints, Communicator comm) {
        int[] values = new int[1001 * comm.rank()];
        checkpoints.protect(3, values);
        return values;
    }

    static void fill(int[] values, Communicator comm, int seed) {
        Arrays.setAll(values, i -> seed * 10_000_000 + comm.rank() * 100_000 + i);
    }

    static void take(Checkpoints checkpoints, Communicator comm, int id, Level level) throws IOException {
        fill(protect(checkpoints, comm), comm, id);
        checkpoints.checkpoint(id, level);
    }

    static void take(RunFixture run, int id, Level... levels) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            for (int i = 0; i < levels.length; i++) {
                checkpoints.discardRestart();
                take(checkpoints, comm, id + i, levels[i]);
            }
        });
    }

    static void recover(Checkpoints checkpoints, Communicator comm, int id, Level level) throws IOException {
        assertThat(checkpoints.lastLevel()).contains(level);
        assertThat(checkpoints.lastCheckpoint()).contains(id);
        int[] values = protect(checkpoints, comm);
        int[] expected = values.clone();
        fill(expected, comm, id);
        checkpoints.recover();
        assertThat(values).isEqualTo(expected);
    }

    static void recover(RunFixture run, int id, Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> recover(checkpoints, comm, id, level));
    }

    /** C FTI: more ranks wait for each other for ever, fewer recover a part. */
    @ParameterizedTest
    @CsvSource({"1, 1, 2", "1, 1, 8", "2, 2, 8", "2, 1, 8"})
    void anotherNumberOfRanksRecoversNothing(String nodeSize, String groupSize, int ranks) throws IOException {
        RunFixture run = make(Map.of("basic.group_size", "1"));
        take(run, 1, Level.L4, Level.L1);
        String config = Files.readString(run.config())
                .replaceAll("(node_size +=) 1", "$1 " + nodeSize)
                .replaceAll("(group_size +=) 1", "$1 " + groupSize);
        Files.writeString(run.config(), config);
        assertThatThrownBy(() -> run.run(ranks, (checkpoints, comm) -> {})).isInstanceOf(IOException.class);
    }

    /** Each of the groups of the ranks that are left is called as one was that had other ranks. */
    @Test
    void fewerRanksOnAsManyNodesRecoverNothing() throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2", "basic.group_size", "1"));
        take(run, 1, Level.L4, Level.L1);
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("(node_size +=) 2", "$1 1"));
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }

    /** C FTI has no check of the files that all ranks share. */
    @Test
    void aFlippedByteOfLevel4IsNotRecovered() throws IOException {
        RunFixture run = make(Map.of());
        take(run, 1, Level.L4);
        Path file = lastFileOfLevel4(run, 1);
        byte[] bytes = Files.readAllBytes(file);
        bytes[placeOfData(file)] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }

    /** A second failure before the next checkpoint, at every level, with what a first restart has left. */
    @Test
    void aSecondRestartIsAsGoodAsTheFirst() throws IOException {
        RunFixture run = make(Map.of());
        take(run, 1, Level.L4);
        for (int node = 0; node < RANKS; node++) {
            run.loseNode(node);
        }
        recover(run, 1, Level.L4);
        recover(run, 1, Level.L1);
        run.loseNode(2);
        recover(run, 1, Level.L4);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    void aKeptCheckpointIsRecovered(Level level) throws IOException {
        RunFixture run = make(Map.of("basic.keep_last_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            take(checkpoints, comm, 4, level);
            // In the running job as well.
            recover(checkpoints, comm, 4, level);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        assertThat(run.files()).noneMatch(file -> file.startsWith("Local"));
        recover(run, 4, Level.L4);
    }
}
