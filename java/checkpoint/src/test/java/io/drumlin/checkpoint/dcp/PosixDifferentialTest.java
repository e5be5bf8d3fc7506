package io.drumlin.checkpoint.dcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.Golden;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.modes.SeparateMetadataContract;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is special to differential checkpoints of the mode POSIX: layers in numbered files. */
class PosixDifferentialTest {

    private static final int RANKS = 2;
    private static final int BLOCK = 64;

    @TempDir
    Path directory;

    private RunFixture run(String... more) throws IOException {
        return new RunFixture(
                directory,
                RunFixture.settings(
                        "node_size=1, group_size=2, ckpt_io=1, enable_dcp=1, dcp_mode=1, dcp_block_size=" + BLOCK
                                + ", dcp_stack_size=4",
                        RunFixture.settings(more)));
    }

    /** Takes a checkpoint for each size, of one variable full of the checkpoint's id. */
    private static void take(RunFixture run, int... sizes) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            for (int i = 0; i < sizes.length; i++) {
                byte[] values = new byte[sizes[i]];
                Arrays.fill(values, (byte) (i + 1));
                checkpoints.protect(7, values);
                checkpoints.checkpoint(i + 1, Level.L4_DCP);
            }
        });
    }

    /** Like {@link #take}, but all layers are in one file, also if the variable shrinks, as in C FTI. */
    private static void takeInOneFile(RunFixture run, int... sizes) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            for (int i = 0; i < sizes.length; i++) {
                byte[] values = new byte[sizes[i]];
                Arrays.fill(values, (byte) (i + 1));
                checkpoints.protect(7, values);
                try (IncrementalCheckpoint open = checkpoints.incremental(i + 1, Level.L4_DCP)) {
                    open.add(7);
                    open.commit();
                }
            }
        });
    }

    private static void expect(RunFixture run, int size, int value) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(Level.L4_DCP);
            assertThat(checkpoints.storedSize(7)).isEqualTo(size);
            byte[] values = new byte[size];
            checkpoints.protect(7, values);
            checkpoints.recover();
            byte[] expected = new byte[size];
            Arrays.fill(expected, (byte) value);
            assertThat(values).isEqualTo(expected);
        });
    }

    /** In C FTI levels 1 to 4 go the way of layers then: nothing is stored, or all hang. */
    @ParameterizedTest
    @EnumSource(names = {"L1", "L2", "L3", "L4"})
    void ordinaryCheckpointsAreNotLostBesideThem(Level level) throws IOException {
        RunFixture run = run();
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {1, 2, 3};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L4_DCP);
            values[0] = 5;
            checkpoints.checkpoint(2, level);
        });
        assertThat(run.files()).anyMatch(file -> file.endsWith("l" + level.number() + "/Ckpt2-Rank0.fti"));
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            int[] values = new int[3];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(5, 2, 3);
            // The layers of the run before may be what another restart needs.
            checkpoints.checkpoint(3, Level.L4_DCP);
        });
        assertThat(run.files()).contains("Global/X/dCP/dcp-id1-rank0.fti");
    }

    /**
     * After a loss of power the metadata that checkpoint 2 replaced can be there again, and the log without checkpoint 2. Another mode reads them, and not
     * those of checkpoint 2: it must not go back to checkpoint 1 as if there were no newer one.
     */
    @Test
    void anotherModeDoesNotGoBackToAReplacedCheckpoint() throws IOException {
        RunFixture run = run("keep_l4_ckpt=1");
        Path[] metadata = new Path[1];
        Path replaced = directory.resolve("replaced");
        Path log = directory.resolve("log");
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {1, 2, 3});
            checkpoints.checkpoint(1, Level.L4_DCP);
            if (comm.rank() == 0) {
                metadata[0] = run.file("sector0-group0.fti").getParent();
                copyFiles(metadata[0], replaced);
                Files.copy(metadata[0].resolveSibling("drumlin-commits"), log);
            }
            comm.barrier();
            checkpoints.checkpoint(2, Level.L4);
        });
        Files.move(replaced, metadata[0].resolveSibling("drumlin-replaced-l4"));
        Files.move(log, metadata[0].resolveSibling("drumlin-commits"), StandardCopyOption.REPLACE_EXISTING);
        RunFixture other = run("keep_l4_ckpt=1, ckpt_io=2");
        other.setRestart("1", metadata[0].getParent().getFileName().toString());
        assertThatThrownBy(() -> other.run(RANKS, (checkpoints, comm) -> {}))
                .hasMessageContaining("POSIX (ckpt_io = 1) at level 4")
                .hasMessageContaining("restart with the ckpt_io of the run that wrote them");
        RunFixture again = run("keep_l4_ckpt=1");
        again.setRestart("1", metadata[0].getParent().getFileName().toString());
        again.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastLevel())
                .contains(Level.L4));
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    @Test
    void aDirectoryWithTheNameOfTheNextFileIsPutAside() throws IOException {
        RunFixture run = run("dcp_stack_size=1");
        take(run, BLOCK);
        Path next = run.file("dcp-id0-rank1.fti").resolveSibling("dcp-id1-rank1.fti");
        Files.createDirectories(next.resolve("with something in it"));
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(7, new byte[BLOCK]);
            checkpoints.recover();
            checkpoints.checkpoint(2, Level.L4_DCP);
            checkpoints.checkpoint(3, Level.L4_DCP);
        });
        assertThat(run.files())
                .contains("Global/X/dCP/dcp-id2-rank1.fti")
                .doesNotContain("Global/X/dCP/dcp-id1-rank1.fti");
        expect(run, BLOCK, 1);
    }

    /** The file with the last checkpoint is there until the metadata know the next. */
    @Test
    void aFullFileIsReplacedByTheNext() throws IOException {
        RunFixture run = run("dcp_stack_size=2");
        take(run, 100, 100, 100, 100, 100);
        assertThat(run.files())
                .filteredOn(file -> file.contains("dCP"))
                .containsExactly("Global/X/dCP/dcp-id2-rank0.fti", "Global/X/dCP/dcp-id2-rank1.fti");
        assertThat(Files.size(run.file("dcp-id2-rank0.fti"))).isEqualTo(8 + 8 + 12 + 2 * BLOCK);
        expect(run, 100, 5);
    }

    /** A restart of C FTI from layers of a larger variable writes past the end of the variable, and crashes. */
    @ParameterizedTest
    @CsvSource({"500, 499, true", "500, 0, true", "500, 500, false", "499, 500, false"})
    void aFileBeginsAnewOnAllRanksAfterAVariableShrankOnOne(int before, int after, boolean anew) throws IOException {
        RunFixture run = run();
        run.run(RANKS, (checkpoints, comm) -> {
            for (int id = 1; id <= 4; id++) {
                byte[] values = new byte[comm.rank() == 0 && id >= 3 ? after : before];
                Arrays.fill(values, (byte) id);
                checkpoints.protect(7, values);
                checkpoints.checkpoint(id, Level.L4_DCP);
            }
        });
        String number = anew ? "1" : "0";
        assertThat(run.files())
                .filteredOn(file -> file.contains("dCP"))
                .containsExactly(
                        "Global/X/dCP/dcp-id" + number + "-rank0.fti", "Global/X/dCP/dcp-id" + number + "-rank1.fti");
        assertThat(Files.readString(run.file("sector0-group0.fti")))
                .contains(anew ? "dcp_layer1_size" : "dcp_layer3_size")
                .doesNotContain(anew ? "dcp_layer2_size" : "dcp_layer4_size");
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[comm.rank() == 0 ? after : before];
            checkpoints.protect(7, values);
            checkpoints.recover();
            assertThat(values).satisfies(all -> {
                for (byte each : all) {
                    assertThat(each).isEqualTo((byte) 4);
                }
            });
        });
    }

    @Test
    void aFileBeginsAnewWithoutAVariable() throws IOException {
        RunFixture run = run();
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(7, new byte[] {1, 2, 3});
            checkpoints.protect(8, new byte[] {4});
            checkpoints.checkpoint(1, Level.L4_DCP);
            checkpoints.unprotect(8);
            checkpoints.checkpoint(2, Level.L4_DCP);
        });
        expectBytes(run, 1, 2, 3);
        assertThat(run.files()).contains("Global/X/dCP/dcp-id1-rank0.fti");
    }

    private static void expectBytes(RunFixture run, int... expected) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[expected.length];
            checkpoints.protect(7, values);
            checkpoints.recover();
            assertThat(values).containsExactly(expected);
        });
    }

    /** A layer has the id of the checkpoint before it, of whatever level. */
    @Test
    void aLayerTellsTheCheckpointBefore() throws IOException {
        RunFixture run = run();
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(7, new byte[BLOCK]);
            checkpoints.checkpoint(11, Level.L4_DCP);
            checkpoints.checkpoint(12, Level.L1);
            checkpoints.checkpoint(13, Level.L4_DCP);
        });
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(run.file("dcp-id0-rank1.fti")))
                .order(ByteOrder.LITTLE_ENDIAN);
        assertThat(file.getInt(8)).isZero();
        assertThat(file.getInt(28 + BLOCK)).isEqualTo(12);
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .as("whose data come back")
                .contains(13));
    }

    @ParameterizedTest
    @CsvSource({"-1, 2", "-600, 1", "40, 0"})
    void aDamagedLayerTakesAllRanksBack(int offset, int left) throws IOException {
        RunFixture run = run();
        take(run, 500, 500, 500);
        Tamper.flip(run.file("dcp-id0-rank1.fti"), offset);
        Optional<RunReport.Checkpoint> restart =
                RunSurvey.open(run.config(), directory).report(true).restart();
        if (left == 0) {
            assertThat(restart).isEmpty();
            assertThatThrownBy(() -> expect(run, 500, 1)).hasMessageContaining("at no level");
            return;
        }
        assertThat(restart.orElseThrow().ckptId()).isEqualTo(left);
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .as("whose data come back")
                .contains(left));
        expect(run, 500, left);
        // Both ranks go on behind the same layer, and a second restart finds what they wrote.
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[500];
            checkpoints.protect(7, values);
            checkpoints.recover();
            values[499] = 99;
            checkpoints.checkpoint(9, Level.L4_DCP);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[500];
            checkpoints.protect(7, values);
            checkpoints.recover();
            assertThat(values[498]).isEqualTo((byte) left);
            assertThat(values[499]).isEqualTo((byte) 99);
        });
    }

    /** A read that brings a wrong bit, on a start that takes no checkpoint: the layer is whole at the next. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLayerThatCannotBeReadStays(boolean takesAnother) throws IOException {
        RunFixture run = run();
        take(run, 500, 500, 500);
        Path file = run.file("dcp-id0-rank1.fti");
        long size = Files.size(file);
        Tamper.flip(file, -1);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(7, new byte[500]);
            checkpoints.recover();
            if (takesAnother) {
                checkpoints.checkpoint(8, Level.L1);
            }
        });
        assertThat(Files.size(file)).isEqualTo(size);
        Tamper.flip(file, -1);
        if (!takesAnother) {
            expect(run, 500, 3);
        }
    }

    /** Cut in the third layer: of the variable only the metadata tell what it was before. */
    @ParameterizedTest
    @CsvSource({"300, 500", "500, 300", "300, 301", "64, 0"})
    void sizesAreThoseOfTheLayerThatIsLeft(int before, int after) throws IOException {
        RunFixture run = run();
        takeInOneFile(run, 200, before, after);
        Path file = run.file("dcp-id0-rank0.fti");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(open.length() - 1);
        }
        expect(run, before, 2);
    }

    /** C FTI says of all layers how large variables are in the last. What cannot be told from that is not recovered. */
    @ParameterizedTest
    @CsvSource({"200, 300, 300, 2", "200, 200, 500, 1", "500, 500, 500, 2"})
    void metadataOfCTakeNobodyToALayerOfOtherSizes(int first, int second, int third, int left) throws IOException {
        RunFixture run = run();
        takeInOneFile(run, first, second, third);
        for (String file : run.files()) {
            if (file.contains("sector")) {
                Path path = run.file(Path.of(file).getFileName().toString());
                SeparateMetadataContract.unseal(path);
                Files.writeString(path, Files.readString(path).replaceAll(".*_drumlin_.*\n", ""));
            }
        }
        Path file = run.file("dcp-id0-rank0.fti");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(open.length() - 1);
        }
        expect(run, left == 1 ? first : second, left);
    }

    @ParameterizedTest
    @CsvSource({"128, 4", "64, 2", "1, 10"})
    void sizesOfTheFileAreAdopted(String blockSize, String stackSize) throws IOException {
        RunFixture run = run();
        take(run, 300, 300, 300);
        byte[] layers = Files.readAllBytes(run.file("dcp-id0-rank0.fti"));
        String text = Files.readString(run.config())
                .replaceFirst("(?m)^(dcp_block_size +=).*$", "$1 " + blockSize)
                .replaceFirst("(?m)^(dcp_stack_size +=).*$", "$1 " + stackSize);
        Files.writeString(run.config(), text);
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[300];
            checkpoints.protect(7, values);
            checkpoints.recover();
            values[0] = 50;
            checkpoints.checkpoint(4, Level.L4_DCP);
        });
        byte[] more = Files.readAllBytes(run.file("dcp-id0-rank0.fti"));
        assertThat(Arrays.copyOf(more, layers.length)).isEqualTo(layers);
        assertThat(more).hasSize(layers.length + 8 + 6 + BLOCK);
    }

    /** A variable that comes later, and a restart from a layer before it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aVariableMayComeLater(boolean damaged) throws IOException {
        RunFixture run = run();
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(7, new byte[] {1, 2, 3});
            checkpoints.checkpoint(1, Level.L4_DCP);
            checkpoints.checkpoint(2, Level.L4_DCP);
            checkpoints.protect(3, new byte[] {4, 5});
            checkpoints.checkpoint(3, Level.L4_DCP);
        });
        if (damaged) {
            Tamper.flip(run.file("dcp-id0-rank0.fti"), -1);
        }
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] first = new byte[3];
            byte[] second = new byte[2];
            checkpoints.protect(7, first);
            assertThat(checkpoints.storedSize(3)).isEqualTo(damaged ? 0 : 2);
            if (!damaged) {
                checkpoints.protect(3, second);
            }
            checkpoints.recover();
            assertThat(first).containsExactly(1, 2, 3);
            assertThat(second).isEqualTo(damaged ? new byte[2] : new byte[] {4, 5});
            checkpoints.protect(3, second);
            second[0] = 9;
            checkpoints.checkpoint(4, Level.L4_DCP);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] second = new byte[2];
            checkpoints.protect(3, second);
            checkpoints.recover(3);
            assertThat(second[0]).isEqualTo((byte) 9);
        });
    }

    /** Blocks larger than any buffer, smaller than a value, and of odd sizes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1000, 65_536, (1 << 20) + 7, 3 << 20})
    void anyBlockSizeWillDo(int blockSize) throws IOException {
        RunFixture run = run("dcp_block_size=" + blockSize);
        int size = blockSize < 1 << 20 ? 20_001 : 3_500_001;
        byte[] expected = new byte[size];
        new Random(blockSize).nextBytes(expected);
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = expected.clone();
            checkpoints.protect(1, values);
            checkpoints.checkpoint(1, Level.L4_DCP);
            values[size - 1]++;
            values[size / 2]++;
            checkpoints.checkpoint(2, Level.L4_DCP);
        });
        expected[size - 1]++;
        expected[size / 2]++;
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] values = new byte[size];
            checkpoints.protect(1, values);
            checkpoints.recover();
            assertThat(values).isEqualTo(expected);
        });
    }

    /** Beside checkpoints that heads or threads finish behind the computation. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theyAreCompleteWhenTheCallReturns(boolean heads) throws IOException {
        String inline = heads ? "0" : "1";
        RunFixture run = run("node_size=2, head=" + (heads ? "1" : "0") + ", inline_l2=" + inline + ", inline_l4="
                + inline + ", drumlin.async=" + (heads ? "0" : "1"));
        run.run(4, (checkpoints, comm) -> {
            int[] values = {1};
            checkpoints.protect(0, values);
            for (int i = 1; i < 8; i++) {
                values[0] = i;
                checkpoints.checkpoint(i, i % 2 == 0 ? Level.L2 : Level.L4_DCP);
                assertThat(checkpoints.isUnderway()).isEqualTo(i % 2 == 0);
            }
        });
        run.run(4, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values[0]).isEqualTo(7);
        });
    }

    /** The archive is for checkpoints of level 4 that are whole. */
    @Test
    void layersAreNotArchived() throws IOException {
        RunFixture run = run("keep_l4_ckpt=1");
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[3]);
            checkpoints.checkpoint(1, Level.L4_DCP);
            checkpoints.checkpoint(2, Level.L4);
            checkpoints.checkpoint(3, Level.L4_DCP);
            checkpoints.checkpoint(4, Level.L4_DCP);
            checkpoints.await();
        });
        assertThat(run.files())
                .filteredOn(file -> file.contains("archive"))
                .containsExactly(
                        "Global/X/l4_archive/Ckpt2-Rank0.fti",
                        "Global/X/l4_archive/Ckpt2-Rank1.fti",
                        "Meta/X/l4_archive/Ckpt_2/sector0-group0.fti");
    }

    /** No release could read layers of two layouts in one file. */
    @ParameterizedTest
    @ValueSource(strings = {"v1.3-dcp", "v1.4-dcp", "v1.4.1-dcp", "v1.5-dcp", "v1.6-dcp"})
    void aFileOfAnEarlierReleaseIsFollowedByAnother(String name) throws IOException {
        Path golden = Golden.path("fti-posix", name);
        copyTree(golden.resolve("data"), directory);
        Files.createDirectories(directory.resolve("Local"));
        Path config = directory.resolve("config.fti");
        Files.writeString(
                config, Files.readString(golden.resolve("config.after.ini")).replace("= ./", "= " + directory + "/"));
        ThreadCommunicator.run(3, comm -> recover(config, comm, 103, 3, 4));
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(file -> file.startsWith("dcp-")))
                    .containsExactlyInAnyOrder("dcp-id1-rank0.fti", "dcp-id1-rank1.fti", "dcp-id1-rank2.fti");
        }
        ThreadCommunicator.run(3, comm -> recover(config, comm, 104, 4, 5));
        ThreadCommunicator.run(3, comm -> recover(config, comm, 105, 5, 6));
    }

    /** Recovers a checkpoint in which variable 1 is of a generation, and takes the next one. */
    private static void recover(Path config, Communicator comm, int id, int generation, int next) throws IOException {
        int[] ints = new int[6 + comm.rank()];
        double[] doubles = new double[5];
        try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
            checkpoints.protect(1, ints);
            checkpoints.protect(2, doubles);
            checkpoints.protect(3, new short[3]);
            checkpoints.recover();
            assertThat(checkpoints.lastCheckpoint()).hasValue(id);
            int base = 1_000_003 * comm.rank();
            assertThat(ints).isEqualTo(values(base + 10_007 + 101 * generation, ints.length));
            assertThat(doubles)
                    .isEqualTo(Arrays.stream(values(base + 2 * 10_007 + 2 * 101, doubles.length))
                            .mapToDouble(value -> value * 0.25)
                            .toArray());
            System.arraycopy(values(base + 10_007 + 101 * next, ints.length), 0, ints, 0, ints.length);
            checkpoints.checkpoint(id + 1, Level.L4_DCP);
        }
    }

    private static int[] values(int first, int count) {
        return IntStream.range(0, count).map(i -> first + 31 * i).toArray();
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    @Test
    void aReportNamesTheDamagedLayer() throws IOException {
        RunFixture run = run();
        take(run, 500, 500);
        Tamper.flip(run.file("dcp-id0-rank1.fti"), -1);
        RunReport report = RunSurvey.open(run.config(), directory).report(true);
        assertThat(report.problems().toString()).contains("layer 1 is damaged").contains("dcp-id0-rank1.fti");
        assertThat(List.of(report.restart().orElseThrow().level())).containsExactly(Level.L4_DCP);
    }
}
