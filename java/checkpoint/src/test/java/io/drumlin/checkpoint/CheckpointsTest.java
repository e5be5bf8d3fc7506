package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CheckpointsTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"aligned, L1", "compact, L1", "aligned, L4", "compact, L4"})
    void bringsBackWhatWasProtectedAfterARunThatEndedWithoutCompleting(String packing, Level level) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("drumlin.packing", packing));
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.isRestart()).isFalse();
            checkpoints.protect(7, new Scalar.OfInt(40 + comm.rank()));
            checkpoints.protect(1, numbers(100_000, comm.rank()));
            checkpoints.protect(2, new byte[0]);
            checkpoints.protect(3, new boolean[] {true, false, comm.rank() == 1});
            checkpoints.checkpoint(3, level);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART);
            assertThat(checkpoints.lastCheckpoint()).contains(3);
            assertThat(checkpoints.lastLevel()).contains(level);
            assertThat(checkpoints.storedSize(1)).isEqualTo(800_000);
            Scalar.OfInt iteration = new Scalar.OfInt(0);
            double[] values = new double[100_000];
            boolean[] flags = new boolean[3];
            checkpoints.protect(7, iteration);
            checkpoints.protect(1, values);
            checkpoints.protect(2, new byte[0]);
            checkpoints.protect(3, flags);
            checkpoints.recover();
            assertThat(checkpoints.status()).isEqualTo(Status.FRESH);
            assertThat(iteration.value).isEqualTo(40 + comm.rank());
            assertThat(values).isEqualTo(numbers(100_000, comm.rank()));
            assertThat(flags).containsExactly(true, false, comm.rank() == 1);
        });
    }

    /** Where the level keeps redundancy, from what the other node has of it. */
    @ParameterizedTest
    @EnumSource
    void keepsEveryKindOfArrayBufferAndScalar(Level level) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        run.run(2, (checkpoints, comm) -> {
            Kinds kinds = new Kinds();
            kinds.fill(new Random(seed + comm.rank()));
            kinds.protect(checkpoints);
            checkpoints.checkpoint(1, level);
        });
        if (level == Level.L2 || level == Level.L3) {
            DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        }
        run.run(2, (checkpoints, comm) -> {
            Kinds expected = new Kinds();
            expected.fill(new Random(seed + comm.rank()));
            Kinds kinds = new Kinds();
            kinds.protect(checkpoints);
            checkpoints.recover();
            assertThat(kinds.bytes()).isEqualTo(expected.bytes());
        });
    }

    /** One of everything that can be protected. */
    private static final class Kinds {
        final byte[] bytes = new byte[13];
        final short[] shorts = new short[13];
        final char[] chars = new char[13];
        final int[] ints = new int[13];
        final long[] longs = new long[13];
        final float[] floats = new float[13];
        final double[] doubles = new double[13];
        final boolean[] booleans = new boolean[13];
        final ByteBuffer direct = ByteBuffer.allocateDirect(100);
        // Big endian in memory: the file holds little-endian values all the same.
        final DoubleBuffer view =
                ByteBuffer.allocateDirect(80).order(ByteOrder.BIG_ENDIAN).asDoubleBuffer();
        final Scalar.OfBoolean oneBoolean = new Scalar.OfBoolean(false);
        final Scalar.OfByte oneByte = new Scalar.OfByte((byte) 0);
        final Scalar.OfShort oneShort = new Scalar.OfShort((short) 0);
        final Scalar.OfChar oneChar = new Scalar.OfChar('0');
        final Scalar.OfInt oneInt = new Scalar.OfInt(0);
        final Scalar.OfLong oneLong = new Scalar.OfLong(0);
        final Scalar.OfFloat oneFloat = new Scalar.OfFloat(0);
        final Scalar.OfDouble oneDouble = new Scalar.OfDouble(0);

        List<Object> all() {
            return List.of(
                    bytes,
                    shorts,
                    chars,
                    ints,
                    longs,
                    floats,
                    doubles,
                    booleans,
                    direct,
                    view,
                    oneBoolean,
                    oneByte,
                    oneShort,
                    oneChar,
                    oneInt,
                    oneLong,
                    oneFloat,
                    oneDouble);
        }

        void protect(Checkpoints checkpoints) {
            for (int id = 0; id < all().size(); id++) {
                checkpoints.protect(id, all().get(id));
            }
        }

        void fill(Random random) {
            for (Object variable : all()) {
                ProtectedData data = ProtectedData.of(variable);
                byte[] content = new byte[(int) data.size()];
                random.nextBytes(content);
                if (variable instanceof boolean[] || variable instanceof Scalar.OfBoolean) {
                    for (int i = 0; i < content.length; i++) {
                        content[i] &= 1;
                    }
                }
                data.copyIn(0, ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN));
            }
        }

        List<String> bytes() {
            return all().stream().map(CheckpointsTest::content).toList();
        }
    }

    private static String content(Object variable) {
        ProtectedData data = ProtectedData.of(variable);
        ByteBuffer copy = ByteBuffer.allocate((int) data.size()).order(ByteOrder.LITTLE_ENDIAN);
        data.copyOut(0, copy);
        return HexFormat.of().formatHex(copy.array());
    }

    @ParameterizedTest
    @EnumSource(names = {"L1", "L4"})
    void replacesTheEarlierCheckpointOfTheLevel(Level level) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, level);
            checkpoints.checkpoint(2, level);
        });
        String place = level == Level.L1 ? "Local/node0/X/l1/" : "Global/X/l4/";
        assertThat(run.files())
                .hasSize(RANKS + 1)
                .contains(place + "Ckpt2-Rank0.fti", "Meta/X/Topology.fti")
                .noneMatch(file -> file.contains("Ckpt1"));
        assertThat(run.restartValue("failure")).isEqualTo("1");
    }

    @Test
    void aLevel4CheckpointStaysUnderNewerLocalOnesAndIsUsedWhenTheyAreLost() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = {10};
            checkpoints.protect(0, value);
            checkpoints.checkpoint(1, Level.L4);
            value[0] = 20;
            checkpoints.checkpoint(2, Level.L1);
        });
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = {0};
            checkpoints.protect(0, value);
            checkpoints.recover();
            assertThat(value).containsExactly(10);
            assertThat(checkpoints.lastLevel()).contains(Level.L4);
        });
        // The lost disk may come back: until there is another checkpoint the newer one stays, and nothing is copied
        // over it.
        assertThat(run.files())
                .contains("Local/node0/X/l1/Ckpt2-Rank0.fti")
                .doesNotContain("Local/node1/X/l1/Ckpt1-Rank3.fti");
    }

    @Test
    void aDamagedFileIsRefusedAndSaidSo() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, numbers(1000, comm.rank()));
            checkpoints.checkpoint(1, Level.L1);
        });
        try (RandomAccessFile file =
                new RandomAccessFile(run.file("Ckpt1-Rank2.fti").toFile(), "rw")) {
            file.seek(4000);
            int old = file.read();
            file.seek(4000);
            file.write(old ^ 1);
        }
        assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {}))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("at no level the files that are left");
        assertThat(run.files()).hasSize(RANKS + 1);
    }

    @Test
    void completeDeletesEverything() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.checkpoint(2, Level.L4);
            checkpoints.complete();
        });
        assertThat(run.files()).isEmpty();
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    @Test
    void completeKeepsTheLastCheckpointWhenConfigured() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.keep_last_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L1);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        assertThat(run.files())
                .containsExactly(
                        "Global/X/l4/Ckpt2-Rank0.fti",
                        "Global/X/l4/Ckpt2-Rank1.fti",
                        "Global/X/l4/Ckpt2-Rank2.fti",
                        "Global/X/l4/Ckpt2-Rank3.fti",
                        "Meta/X/Topology.fti");
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            int[] value = new int[1];
            checkpoints.protect(0, value);
            checkpoints.recover();
            assertThat(value).containsExactly(comm.rank());
        });
    }

    /** Its replacements of nodes have the data from now on. */
    @Test
    void aRunThatBeginsAfreshNamesItsNodes() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L1);
        });
        Path topology = run.file("Topology.fti");
        String named = Files.readString(topology);
        String before = named.replace("node1", "lost1");
        Files.writeString(topology, before);
        Files.delete(run.file("Ckpt1-Rank3.fti"));
        run.run(RANKS, (builder, rank) -> builder.freshStartIfUnrecoverable(), (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.FRESH);
            // Who finds the files again may still have them.
            assertThat(topology).content().isEqualTo(before);
            comm.barrier();
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(2, Level.L1);
        });
        assertThat(topology).content().isEqualTo(named);
    }

    @Test
    void keepsLevel4CheckpointsInTheArchiveWhenConfigured() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.keep_l4_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L4);
            checkpoints.complete();
        });
        assertThat(run.files())
                .contains("Global/X/l4_archive/Ckpt1-Rank0.fti", "Global/X/l4_archive/Ckpt2-Rank3.fti")
                .contains("Meta/X/Checkpoint.fti")
                .hasSize(2 * RANKS + 2);
        // C FTI leaves 1 here, and its next run is a restart that finds nothing.
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    @Test
    void ranksThatAskForDifferentCheckpointsAllGetAnError() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            int id = comm.rank() == 2 ? 5 : 6;
            assertThatThrownBy(() -> checkpoints.checkpoint(id, Level.L1))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("different checkpoints: ids 5 to 6");
        });
    }

    @Test
    void aRankThatCannotWriteFailsTheCheckpointEverywhereAndTheEarlierOneStays() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = {1};
            checkpoints.protect(0, value);
            checkpoints.checkpoint(1, Level.L1);
            value[0] = 2;
            if (comm.rank() == 3) {
                // A directory in the place of the file it wants to write.
                Path tmp = directory.resolve("Local/node1/" + checkpoints.execId() + "/tmp");
                Files.createDirectories(tmp.resolve("Ckpt2-Rank3.fti"));
            }
            comm.barrier();
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).isInstanceOf(DrumlinException.class);
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            checkpoints.recover();
            assertThat(value).containsExactly(1);
            value[0] = 3;
            checkpoints.checkpoint(3, Level.L1);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = new int[1];
            checkpoints.protect(0, value);
            checkpoints.recover();
            assertThat(value).containsExactly(3);
        });
    }

    @Test
    void recoverySaysWhatDoesNotFit() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[10]);
            checkpoints.protect(1, new int[10]);
            checkpoints.checkpoint(1, Level.L1);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[10]);
            assertThatThrownBy(checkpoints::recover).hasMessageContaining("1 variables are protected and 2 are stored");
            checkpoints.protect(1, new int[9]);
            assertThatThrownBy(checkpoints::recover)
                    .hasMessageContaining("variable 1")
                    .hasMessageContaining("36 bytes are protected and 40 are stored");
            checkpoints.recover(0);
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART);
            int[] replaced = checkpoints.reallocate(1, new int[0]);
            assertThat(replaced).hasSize(10);
            checkpoints.recover();
        });
    }

    @Test
    void anotherNumberOfRanksIsRefused() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L1);
        });
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                .hasMessageContaining("written on 2 nodes, this run has 1");
        assertThat(run.files()).hasSize(RANKS + 1);
    }

    @Test
    void fewerRanksOnAsManyNodesAreRefused() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "4"));
        run.run(8, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L4);
        });
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("(node_size *= )4", "$12"));
        // C FTI goes on with the files of ranks 0 to 3.
        assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {}))
                .hasMessageContaining("at no level the files that are left");
        assertThat(run.files()).hasSize(8 + 1);
    }

    @Test
    void aGroupSizeThatDoesNotFitIsRefused() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.group_size", "3"));
        assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {})).hasMessageContaining("group_size = 3");
    }

    @Test
    void pathsMayHaveSpacesLinksAndOtherLetters() throws IOException {
        // In the locale C, Java 17 has no name for other letters.
        String letters = "UTF-8".equals(System.getProperty("sun.jnu.encoding")) ? "\u00e4\u51b0" : "";
        Path real = Files.createDirectories(directory.resolve("Ice age " + letters));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        RunFixture run = new RunFixture(link, Map.of("basic.ckpt_dir", link.resolve("../link/Lo cal") + "/"));
        byte[] text = Files.readString(run.config()).getBytes(StandardCharsets.UTF_8);
        Path config = Files.write(real.resolve("target"), text);
        Files.delete(run.config());
        Files.createSymbolicLink(run.config(), config);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L1);
        });
        assertThat(Files.isSymbolicLink(run.config())).isTrue();
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = {-1};
            checkpoints.protect(0, value);
            checkpoints.recover();
            assertThat(value).containsExactly(comm.rank());
            checkpoints.complete();
        });
        assertThat(real.resolve("Lo cal")).isEmptyDirectory();
    }

    @Test
    void aBadIdOrLevelIsRefusedOnAllRanks() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            int id = comm.rank() == 2 ? 0 : 1;
            assertThatThrownBy(() -> checkpoints.checkpoint(id, Level.L1)).isInstanceOf(DrumlinException.class);
            assertThatThrownBy(() -> checkpoints.checkpoint(0, Level.L1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> checkpoints.checkpoint(1, Level.L3)).hasMessageContaining("group_size");
            checkpoints.checkpoint(1, Level.L1);
        });
    }

    @Test
    void aRestartFromAKeptCheckpointStaysOneAlsoWhenItHasTakenAnother() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.keep_last_ckpt", "1"));
        int[] value = {1};
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, value);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.complete();
        });
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, value);
            checkpoints.recover();
            checkpoints.checkpoint(2, Level.L1);
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT));
    }

    @Test
    void theArchiveOutlivesARunThatCouldNotBeRecovered() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.keep_l4_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L4);
            checkpoints.checkpoint(2, Level.L4);
        });
        Files.delete(run.file("Ckpt2-Rank1.fti"));
        Files.delete(run.file("Ckpt1-Rank1.fti"));
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> Checkpoints.builder(run.config())
                        .communicator(comm)
                        .freshStartIfUnrecoverable()
                        .open()
                        .close()))
                .hasMessageContaining("l4_archive");
        assertThat(run.files()).contains("Global/X/l4_archive/Ckpt1-Rank0.fti");
    }

    @Test
    void aRunWithoutVariablesCanBeRestarted() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> checkpoints.checkpoint(1, Level.L4));
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            checkpoints.recover();
        });
    }

    @Test
    void variablesMayComeGoGrowAndShrinkOverRestarts() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("drumlin.packing", "compact"));
        int[][] sizes = {{1001, 0, 77}, {5003, 3, 0}, {13, 8192, 77}, {700_001, -1, 77}, {700_001, 5, 78}};
        for (int step = 0; step <= sizes.length; step++) {
            int now = step;
            // Every other restart goes on in the other packing.
            Files.writeString(
                    run.config(),
                    Files.readString(run.config())
                            .replaceAll("(packing *= )\\w+", "$1" + (now % 2 == 0 ? "compact" : "aligned")));
            run.run(RANKS, (checkpoints, comm) -> {
                if (now > 0) {
                    // In another order than they were written.
                    Map<Integer, byte[]> stored = protectAll(checkpoints, sizes[now - 1], -1, 0);
                    checkpoints.recover();
                    stored.forEach((id, value) -> assertThat(value)
                            .as("variable %d at step %d", id, now)
                            .isEqualTo(bytes(value.length, now - 1 + id + comm.rank())));
                }
            });
            if (now == sizes.length) {
                return;
            }
            run.run(RANKS, (checkpoints, comm) -> {
                protectAll(checkpoints, sizes[now], 1, now + comm.rank());
                checkpoints.discardRestart();
                checkpoints.checkpoint(1 + now, now % 3 == 2 ? Level.L4 : Level.L1);
            });
        }
    }

    private static Map<Integer, byte[]> protectAll(Checkpoints checkpoints, int[] sizes, int direction, int seed) {
        Map<Integer, byte[]> variables = new HashMap<>();
        for (int i = direction > 0 ? 0 : sizes.length - 1; i >= 0 && i < sizes.length; i += direction) {
            if (sizes[i] >= 0) {
                byte[] value = direction > 0 ? bytes(sizes[i], seed + i) : new byte[sizes[i]];
                variables.put(i, value);
                checkpoints.protect(i, value);
            }
        }
        return variables;
    }

    private static byte[] bytes(int count, int seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void anIdMayRepeat() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = {0};
            checkpoints.protect(0, value);
            for (value[0] = 1; value[0] < 4; value[0]++) {
                checkpoints.checkpoint(1, Level.L1);
            }
        });
        run.run(RANKS, (checkpoints, comm) -> {
            int[] value = {0};
            checkpoints.protect(0, value);
            checkpoints.recover();
            assertThat(value).containsExactly(3);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theProgramsPackingTakesPrecedence(Packing packing) throws IOException {
        String other = packing == Packing.ALIGNED ? "compact" : "aligned";
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "drumlin.packing", other));
        try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                .communicator(new SingleCommunicator())
                .storage(new NioEngine())
                .packing(packing)
                .open()) {
            checkpoints.protect(0, new byte[1]);
            checkpoints.protect(1, new byte[1]);
            checkpoints.checkpoint(1, Level.L4);
        }
        String file = run.files().stream()
                .filter(each -> each.endsWith("Ckpt1-Rank0.fti"))
                .findFirst()
                .orElseThrow();
        long size = Files.size(directory.resolve(file.replace("/X/", "/" + run.restartValue("exec_id") + "/")));
        assertThat(size > 4096).isEqualTo(packing == Packing.ALIGNED);
    }

    private static double[] numbers(int count, int rank) {
        return new Random(rank).doubles(count).toArray();
    }
}
