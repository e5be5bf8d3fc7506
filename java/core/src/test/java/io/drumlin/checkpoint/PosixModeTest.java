package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What must not happen in the modes that keep metadata apart from the data. */
class PosixModeTest {

    private static final int RANKS = 4;

    @TempDir
    private Path directory;

    private RunFixture run(String ioMode, Map<String, String> changes) throws IOException {
        Map<String, String> all =
                new HashMap<>(Map.of("basic.ckpt_io", ioMode, "basic.node_size", "1", "basic.group_size", "2"));
        all.putAll(changes);
        return new RunFixture(directory, all);
    }

    /** Sizes differ, and one rank has nothing. */
    private static int[] protect(Checkpoints checkpoints, Communicator comm) {
        int[] values = new int[1001 * comm.rank()];
        checkpoints.protect(3, values);
        return values;
    }

    private static void fill(int[] values, Communicator comm, int seed) {
        for (int i = 0; i < values.length; i++) {
            values[i] = 1000 * comm.rank() + i + seed;
        }
    }

    private static void take(RunFixture run, int id, Level... levels) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = protect(checkpoints, comm);
            for (int i = 0; i < levels.length; i++) {
                fill(values, comm, id + i);
                checkpoints.discardRestart();
                checkpoints.checkpoint(id + i, levels[i]);
            }
        });
    }

    private static void recover(RunFixture run, int id, Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            assertThat(checkpoints.lastCheckpoint()).contains(id);
            int[] values = protect(checkpoints, comm);
            int[] expected = values.clone();
            fill(expected, comm, id);
            checkpoints.recover();
            assertThat(values).isEqualTo(expected);
        });
    }

    private Path metadata(RunFixture run, String place) throws IOException {
        return directory.resolve("Meta").resolve(run.restartValue("exec_id")).resolve(place);
    }

    /** C FTI: some ranks recover another checkpoint than the others, and the job hangs. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "4"})
    void ranksDoNotPartWhenTheMetadataOfOneGroupAreMissing(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        take(run, 5, Level.L4, Level.L2, Level.L1);
        Files.delete(metadata(run, "l1/sector1-group0.fti"));
        recover(run, 6, Level.L2);
        Files.writeString(metadata(run, "l2/sector0-group0.fti"), "[ckpt_info]\nckpt_type = full\n");
        recover(run, 5, Level.L4);
    }

    /** C FTI: more ranks wait for each other for ever, fewer recover a part. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1, 2", "1, 1, 1, 8", "2, 1, 1, 8", "1, 2, 2, 8", "1, 2, 1, 8", "4, 1, 1, 8"})
    void anotherNumberOfRanksRecoversNothing(String ioMode, String nodeSize, String groupSize, int ranks)
            throws IOException {
        RunFixture run = run(ioMode, Map.of("basic.group_size", "1"));
        take(run, 1, Level.L4, Level.L1);
        String config = Files.readString(run.config())
                .replaceAll("(node_size +=) 1", "$1 " + nodeSize)
                .replaceAll("(group_size +=) 1", "$1 " + groupSize);
        Files.writeString(run.config(), config);
        assertThatThrownBy(() -> run.run(ranks, (checkpoints, comm) -> {})).isInstanceOf(IOException.class);
    }

    /** Each of the groups of the ranks that are left is called as one was that had other ranks. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "4"})
    void fewerRanksOnAsManyNodesRecoverNothing(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of("basic.node_size", "2", "basic.group_size", "1"));
        take(run, 1, Level.L4, Level.L1);
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("(node_size +=) 2", "$1 1"));
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }

    /** As the mapped interface of C SIONlib has it. */
    @Test
    void theSharedFileOfSionlibHasATaskForEachRank() throws IOException {
        RunFixture run = run("4", Map.of());
        take(run, 1, Level.L4);
        assertThat(metadata(run, "l4/sector0-group0.fti")).content().doesNotContain("Rank");
        try (SionInput input = SionFile.open(run.file("Ckpt1-sionlib.fti"), SionOptions.defaults())) {
            assertThat(input.tasks()).containsExactly(0, 1, 2, 3);
            int block = input.header().fsBlockSize();
            for (int rank : input.tasks()) {
                int bytes = 1001 * rank * Integer.BYTES;
                assertThat(input.globalRank(rank)).isEqualTo(rank);
                assertThat(input.chunkSize(rank)).isEqualTo((bytes + block - 1) / block * (long) block);
                assertThat(input.reader(rank).blocks()).isOne();
                assertThat(input.reader(rank).size()).isEqualTo(bytes);
            }
        }
    }

    /** C FTI has no check of the shared file. */
    @ParameterizedTest
    @CsvSource({"2, mpiio", "4, sionlib"})
    void aFlippedByteOfTheSharedFileIsNotRecovered(String ioMode, String name) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        take(run, 1, Level.L4);
        Path shared = run.file("Ckpt1-" + name + ".fti");
        byte[] bytes = Files.readAllBytes(shared);
        int lastOfData = bytes.length - 1;
        if (ioMode.equals("4")) {
            try (SionInput input = SionFile.openTask(shared, RANKS - 1, SionOptions.defaults())) {
                lastOfData = (int) input.reader().position(Long.MAX_VALUE).fileOffset() - 1;
            }
        }
        bytes[lastOfData] ^= 1;
        Files.write(shared, bytes);
        assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }

    /** C FTI writes anything for their checksums; its files must be recovered all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "4"})
    void theChecksumsThatCFtiWritesForTheSharedFileAreNotBelieved(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        take(run, 1, Level.L4);
        for (String name : List.of("l4/sector0-group0.fti", "l4/sector1-group0.fti")) {
            Path file = metadata(run, name);
            String text = Files.readString(file, StandardCharsets.ISO_8859_1)
                    .replaceAll("(?m)^drumlin_.*\n|^\\[drumlin]\nseal.*\n\n", "")
                    .replaceAll("(ckpt_checksum +=) .*", "$1 0123456789abcdef0123456789abcdef");
            Files.writeString(file, text, StandardCharsets.ISO_8859_1);
        }
        recover(run, 1, Level.L4);
        // The copy on the nodes, which that restart made.
        recover(run, 1, Level.L1);
    }

    /** A second failure before the next checkpoint, at every level, with what a first restart has left. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "4"})
    void aSecondRestartIsAsGoodAsTheFirst(String ioMode) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        take(run, 1, Level.L4);
        DirectoryTree.delete(directory.resolve("Local"), new NioEngine());
        recover(run, 1, Level.L4);
        recover(run, 1, Level.L1);
        DirectoryTree.delete(directory.resolve("Local/node2"), new NioEngine());
        recover(run, 1, Level.L4);
    }

    /** C programs begin to count where they like. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "1, 4", "2, 4", "4, 4", "5, 2", "5, 4"})
    void aCheckpointMayHaveId0(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of());
        take(run, 0, Level.of(level));
        if (level > 1) {
            DirectoryTree.delete(directory.resolve("Local/node2"), new NioEngine());
        }
        recover(run, 0, Level.of(level));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 3", "2, 1", "2, 3", "2, 4", "4, 1", "4, 4"})
    void aKeptCheckpointIsRecovered(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of("basic.keep_last_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = protect(checkpoints, comm);
            fill(values, comm, 4);
            checkpoints.checkpoint(4, Level.of(level));
            // In the running job as well.
            int[] expected = values.clone();
            fill(values, comm, 9);
            checkpoints.recover();
            assertThat(values).isEqualTo(expected);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        recover(run, 4, Level.L4);
    }

    /** C FTI with ranks dealt out to the nodes in turn: those of all groups are in one file. */
    @Test
    void checksumsOfEachGroupAreInItsOwnFile() throws IOException {
        RunFixture run = run("1", Map.of("basic.node_size", "2"));
        run.run(RANKS, (checkpoints, comm) -> {
            fill(protect(checkpoints, comm), comm, 1);
            checkpoints.checkpoint(1, Level.L3);
        });
        for (int group = 0; group < 2; group++) {
            String text = Files.readString(metadata(run, "l3/sector0-group" + group + ".fti"));
            for (int member = 0; member < 2; member++) {
                String md5 = md5(run.file("Ckpt1-RSed" + (2 * member + group) + ".fti"));
                assertThat(text).contains("rsed_checksum                  = " + md5);
            }
        }
    }

    private static String md5(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** What is damaged of a checkpoint that nobody needs any more keeps no run from going on, nor from its end. */
    @Test
    void damagedMetadataAreArchivedAsTheyAre() throws IOException {
        RunFixture run = run("1", Map.of("basic.group_size", "4", "basic.keep_l4_ckpt", "1"));
        take(run, 1, Level.L4, Level.L1);
        cutMetadataOfLevel4(run);
        take(run, 3, Level.L4, Level.L1);
        assertThat(run.files())
                .contains("Global/X/l4_archive/Ckpt1-Rank0.fti", "Meta/X/l4_archive/Ckpt_damaged/sector0-group0.fti");
        recover(run, 4, Level.L1);
        cutMetadataOfLevel4(run);
        run.run(RANKS, (checkpoints, comm) -> checkpoints.complete());
        assertThat(run.files()).contains("Global/X/l4_archive/Ckpt3-Rank3.fti");
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    private static void cutMetadataOfLevel4(RunFixture run) throws IOException {
        Path metadata = run.directory()
                .resolve("Meta")
                .resolve(run.restartValue("exec_id"))
                .resolve("l4/sector0-group0.fti");
        Files.writeString(metadata, Files.readString(metadata).substring(0, 51));
    }
}
