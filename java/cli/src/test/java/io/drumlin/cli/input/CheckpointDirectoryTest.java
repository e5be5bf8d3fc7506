package io.drumlin.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.cli.CommandRun;
import io.drumlin.cli.RunConfig;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands on the directories of a run: four nodes with a rank each, which lose some of their files. */
class CheckpointDirectoryTest {

    private static final int RANKS = 4;

    @TempDir
    private Path directory;

    private final CommandRun command = new CommandRun();

    private void write(int ioMode, Level... levels) throws IOException {
        boolean differential = List.of(levels).contains(Level.L4_DCP);
        String[] more = {"enable_dcp = 1", "dcp_mode = 1", "dcp_block_size = 1024"};
        Path config = RunConfig.write(directory, ioMode, 4, differential ? more : new String[0]);
        Files.writeString(config, "[drumlin]\nkeep = 2\n", StandardOpenOption.APPEND);
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(directory.resolve("config.fti"), comm)) {
                int id = 10;
                for (Level level : levels) {
                    checkpoints.protect(1, content(comm.rank(), id));
                    checkpoints.checkpoint(id++, level);
                }
            }
        });
    }

    private static byte[] content(int rank, int ckptId) {
        byte[] bytes = new byte[5000 + rank];
        new Random(100L * ckptId + rank).nextBytes(bytes);
        return bytes;
    }

    private void lose(int node) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("Local/node" + node))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private Path file(String name) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    @Test
    void inspectShowsWhichCheckpointsCanBeRecovered() throws IOException {
        write(3, Level.L4, Level.L3, Level.L2, Level.L1);
        assertThat(command.run("inspect", directory)).isEqualTo(ExitCode.OK);
        assertThat(command.out()).contains("a restart finds checkpoint 13 of level 1 (whole)");
        lose(0);
        lose(1);
        assertThat(command.run("inspect", directory)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        " a restart finds checkpoint 11 of level 3 (recoverable)",
                        " 2 12 l2 lost 4 0 2-3 1 0",
                        " 3 11 l3 recoverable 4 0 2-3 0-1",
                        " 4 10 l4 whole 0 0 0-3");
        assertThat(command.run("inspect", "--json", directory.resolve("config.fti")))
                .isEqualTo(ExitCode.DAMAGED);
        Map<String, Object> json = JSON.std.mapFrom(command.out());
        assertThat(json).containsEntry("ranks", RANKS).containsEntry("mode", "FTI-FF");
        assertThat(json.get("checkpoints").toString())
                .contains("level=3, ckpt_id=11, archived=false, folders=[l3], state=recoverable, restart=true")
                .contains("0=reed_solomon, 1=reed_solomon, 2=own_file");
    }

    @Test
    void verifySaysWhetherARestartSucceeds() throws IOException {
        write(1, Level.L4, Level.L1);
        assertThat(command.run("verify", directory)).isEqualTo(ExitCode.OK);
        Path damaged = file("Ckpt11-Rank2.fti");
        Files.write(damaged, new byte[5002]);
        assertThat(command.run("verify", directory)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out())
                .contains(damaged + " failed", "level 1, checkpoint 11: lost are the data of ranks 2")
                .contains(directory + ": a restart finds checkpoint 10 of level 4 (whole)");
        Files.delete(file("Ckpt10-Rank3.fti"));
        assertThat(command.run("verify", directory)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.out()).contains("Ckpt10-Rank3.fti is missing", "no checkpoint that all ranks can recover");
    }

    /** A file that was cut or has got bytes, of which inspect knows without reading it. */
    @ParameterizedTest
    @CsvSource({
        "1, L1, false",
        "1, L1, true",
        "1, L4, false",
        "1, L4, true",
        "2, L4, false",
        "3, L1, false",
        "3, L1, true",
        "4, L4, false",
        "5, L1, false",
        "5, L4, true",
        "1, L4_DCP, false"
    })
    void noCommandTakesAnOlderCheckpointWithoutAWord(int ioMode, Level level, boolean longer) throws IOException {
        write(ioMode, level == Level.L1 ? Level.L4 : level, level);
        String name = ioMode == 2 ? "Ckpt11-mpiio.fti" : ioMode == 4 ? "Ckpt11-sionlib.fti" : "Ckpt11-Rank2.fti";
        Path file = level == Level.L4_DCP && ioMode == 1
                ? file("dcp-id0-rank2.fti")
                : file(ioMode == 5 ? name.replace(".fti", ".h5") : name);
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, longer ? bytes.length + 100 : bytes.length - 4000));
        for (String looking : List.of("inspect", "verify")) {
            assertThat(command.run(looking, directory))
                    .as(looking + command.out())
                    .isEqualTo(ExitCode.DAMAGED);
            assertThat(command.out()).contains("a restart finds checkpoint 10", file.toString());
        }
        String variable = variable(ioMode, 1) + "@1";
        Path target = directory.resolve("taken.h5");
        assertThat(command.run("show", directory, "--select", variable)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.err()).contains("is the newest, and files of it are missing or damaged");
        assertThat(command.run("extract", directory, "--select", variable, "-o", target))
                .isEqualTo(ExitCode.DAMAGED);
        assertThat(command.run("extract", directory, "--all", "-o", target)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.run("convert", directory, target)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.run("diff", directory, directory)).isEqualTo(ExitCode.DAMAGED_DATA);
        assertThat(target).doesNotExist();
        assertThat(command.run("extract", directory, "--checkpoint", 10, "--select", variable, "-o", target))
                .as(command.err())
                .isEqualTo(ExitCode.OK);
        assertThat(target).hasBinaryContent(content(1, 10));
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void extractTakesLostDataFromWhatIsLeft(int ioMode) throws IOException {
        Path target = directory.resolve("values");
        write(ioMode, Level.L4, Level.L3, Level.L2, Level.L1);
        assertThat(command.run("verify", directory)).as(command.out()).isEqualTo(ExitCode.OK);
        lose(2);
        assertThat(command.run("inspect", directory)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out())
                .contains(", "
                        + List.of("POSIX", "MPI-IO", "FTI-FF", "SIONlib", "HDF5")
                                .get(ioMode - 1) + "\n");
        extract(target, ioMode, 12);
        String suffix = ioMode == 5 ? ".h5" : ".fti";
        Files.delete(file("Ckpt12-Pcof3" + suffix));
        extract(target, ioMode, 11);
        Files.write(file("Ckpt11-RSed3" + suffix), new byte[10]);
        Files.delete(file("Ckpt11-RSed0" + suffix));
        Files.delete(file("Ckpt11-RSed1" + suffix));
        extract(target, ioMode, 10);
        assertThat(command.run("extract", "--select", variable(ioMode, 1), "-o", target, directory))
                .isEqualTo(ExitCode.USAGE);
        assertThat(command.err()).contains("select " + variable(ioMode, 1).replaceAll("=.*", "="));
        assertThat(command.run("extract", "--select", variable(ioMode, 1) + "@4", "-o", target, directory))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("ranks 0 to 3");
        assertThat(command.run(
                        "extract", "--checkpoint", 10, "--select", variable(ioMode, 7) + "@0", "-o", target, directory))
                .isEqualTo(ExitCode.NOT_RECOGNISED);
    }

    /** C FTI writes no digests of the blocks in such a file; Drumlin does. */
    @Test
    void aSharedFileIsComparedWithTheDigestsOfItsBlocks() throws IOException {
        write(2, Level.L4);
        Path shared = file("Ckpt10-mpiio.fti");
        assertThat(command.run("verify", shared)).as(command.out()).isEqualTo(ExitCode.OK);
        byte[] bytes = Files.readAllBytes(shared);
        bytes[bytes.length - 7000]++;
        Files.write(shared, bytes);
        assertThat(command.run("verify", shared)).isEqualTo(ExitCode.DAMAGED);
        assertThat(command.out()).contains("drumlin_striped_checksum at offset 10001: is ");
        assertThat(command.run("show", shared, "--select", "var=1@2")).isEqualTo(ExitCode.DAMAGED);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void everythingIsExtractedOfARunThatHasLostANode(int ioMode) throws IOException {
        write(ioMode, Level.L3);
        lose(2);
        Path all = directory.resolve("all");
        assertThat(command.run("extract", directory, "--all", "-o", all))
                .as(command.err())
                .isZero();
        for (int rank = 0; rank < RANKS; rank++) {
            String name = ioMode == 5 ? "-dataset-Dataset_1.bin" : "-var-1.bin";
            assertThat(all.resolve("rank" + rank + name)).hasBinaryContent(content(rank, 10));
        }
    }

    private static String variable(int ioMode, int id) {
        return ioMode == 5 ? "dataset=/Dataset_" + id : "var=" + id;
    }

    private void extract(Path target, int ioMode, int ckptId) throws IOException {
        assertThat(command.run("extract", "--select", variable(ioMode, 1) + "@0", "-o", target, directory))
                .isEqualTo(ExitCode.DAMAGED);
        assertThat(command.err())
                .contains("checkpoint 13 of level 1 is the newest", "--checkpoint " + ckptId + " takes the one");
        for (int rank = 1; rank < RANKS; rank++) {
            String selection = variable(ioMode, 1) + "@" + rank;
            int exit = command.run("extract", "--checkpoint", ckptId, "--select", selection, "-o", target, directory);
            assertThat(exit).as(command.err()).isEqualTo(ExitCode.OK);
            assertThat(Files.readAllBytes(target)).isEqualTo(content(rank, ckptId));
        }
    }

    /** The configuration is changed before the program continues on them; a start that dies changes nothing. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 1", "4, 1", "3, 0", "1, 0"})
    void aCheckpointOfOtherRanksIsOneOfOtherRanks(int ioMode, int localTest) throws IOException {
        Path config = RunConfig.write(directory, ioMode, localTest + 1);
        change(config, "local_test = 1", "local_test = " + localTest);
        change(config, "node_size = 1", localTest == 1 ? "node_size = 2" : "node_size = 4");
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
                checkpoints.protect(1, content(comm.rank(), 5));
                checkpoints.checkpoint(5, Level.L4);
            }
        });
        change(config, "node_size = .", "node_size = 3");
        change(config, "group_size = .", "group_size = 1");
        byte[] topology = Files.readAllBytes(file("Topology.fti"));
        assertWrittenByFour();
        ThreadCommunicator.run(3, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(config)
                    .communicator(comm)
                    .anyNumberOfRanks()
                    .open()) {
                assertThat(checkpoints.formerRanks()).hasValue(4);
                checkpoints.discardRestart();
                checkpoints.protect(1, new byte[1]);
                assertThatThrownBy(() -> checkpoints.checkpoint(6, Level.L2)).hasMessageContaining("group_size");
            }
        });
        assertThat(file("Topology.fti")).hasBinaryContent(topology);
        assertWrittenByFour();
        Path target = directory.resolve("taken");
        assertThat(command.run("extract", directory, "--select", "var=1@3", "-o", target))
                .as(command.err())
                .isEqualTo(ExitCode.OK);
        assertThat(target).hasBinaryContent(content(3, 5));
    }

    private void assertWrittenByFour() {
        for (String looking : List.of("inspect", "verify")) {
            assertThat(command.run(looking, directory))
                    .as(command.out() + command.err())
                    .isEqualTo(ExitCode.OK);
            assertThat(command.out())
                    .contains("a restart finds checkpoint 5 of level 4 (whole)", "written by 4 ranks with node_size = ")
                    .contains("anyNumberOfRanks()");
        }
    }

    private static void change(Path config, String from, String to) throws IOException {
        Files.writeString(config, Files.readString(config).replaceAll(from, to));
    }

    @Test
    void aRunMayBeNamed() throws IOException {
        write(3, Level.L1);
        Path config = directory.resolve("config.fti");
        List<Path> copies = List.of(directory.resolve("another.fti"), directory.resolve("elsewhere"));
        Files.copy(config, copies.get(0));
        assertThat(command.run("inspect", directory)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("several configuration files", "--config");
        assertThat(command.run("inspect", "--config", config, directory)).isEqualTo(ExitCode.OK);
        String execId = command.out().replaceAll("(?s).*: run ([^,]*),.*", "$1");
        Files.writeString(config, Files.readString(config).replace(execId, "another"));
        assertThat(command.run("verify", config)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("no restart is possible", "another/Topology.fti");
        assertThat(command.run("verify", config, "--run", execId)).isEqualTo(ExitCode.OK);
    }

    @Test
    void aDirectoryWithoutARunIsRefused() {
        assertThat(command.run("inspect", directory)).isEqualTo(ExitCode.NOT_RECOGNISED);
        assertThat(command.err()).contains("is a directory");
    }
}
