package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.elastic.ElementMaps;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts on another number of ranks than took the checkpoint. */
class OtherRanksTest {

    private static final int ROWS = 11;
    private static final int COLUMNS = 17;
    private static final int CELLS = 1003;
    private static final int BLOCK = 7;

    /** Cells in a grid of {@code COLUMNS} by {@code ROWS}, of which ranks have columns: not one run of them is long. */
    private static final IndexFunction BY_COLUMN = new IndexFunction() {
        @Override
        public long places(int rank, int ranks) {
            // A place of padding in front.
            return 1 + (COLUMNS - rank + ranks - 1) / ranks * (long) ROWS;
        }

        @Override
        public long index(int rank, int ranks, long place) {
            if (place == 0) {
                return NONE;
            }
            long column = rank + (place - 1) / ROWS * ranks;
            return (place - 1) % ROWS * COLUMNS + column;
        }
    };

    @TempDir
    private Path directory;

    private RunFixture run;

    /** The variables of a rank, of which each value tells which it is and of which step. */
    private static final class State {
        private final Scalar.OfInt step = new Scalar.OfInt(0);
        private final double[] rows;
        private final int[] cyclic;
        private final float[] byColumn;
        private final byte[] list;
        private final short[] flags;
        private final int rank;
        private final int ranks;

        State(int rank, int ranks) {
            this.rank = rank;
            this.ranks = ranks;
            rows = new double[COLUMNS * (int) (rowsOf(rank, ranks) + 3)];
            cyclic = new int[(int) cyclicOf(rank, ranks)];
            byColumn = new float[(int) BY_COLUMN.places(rank, ranks)];
            // As long as it likes; together they are 1000.
            list = new byte[rank == ranks - 1 ? 1000 - 10 * rank : 10];
            flags = new short[5000];
        }

        private static long rowsOf(int rank, int ranks) {
            return ROWS / ranks + (rank < ROWS % ranks ? 1 : 0);
        }

        private static long cyclicOf(int rank, int ranks) {
            return IntStream.range(0, CELLS)
                    .filter(cell -> cell / BLOCK % ranks == rank)
                    .count();
        }

        void protect(Checkpoints checkpoints) {
            checkpoints.protect(0, step);
            checkpoints.protect(1, rows);
            checkpoints.protect(2, cyclic);
            checkpoints.protect(3, byColumn);
            checkpoints.protect(4, list);
            checkpoints.protect(5, flags);
        }

        void distribute(Checkpoints checkpoints) {
            checkpoints.distribute(0, Distribution.replicated());
            checkpoints.distribute(1, Distribution.block(ROWS).withGhosts(1, 2));
            checkpoints.distribute(2, Distribution.blockCyclic(CELLS, BLOCK));
            checkpoints.distribute(3, Distribution.of((long) ROWS * COLUMNS, BY_COLUMN));
            checkpoints.distribute(4, Distribution.contiguous());
            checkpoints.distribute(5, Distribution.replicated());
        }

        /** Ghost cells inside are garbage: what a restart brings is what the neighbours have. */
        void fill(int newStep, boolean ghosts) {
            step.value = newStep;
            long first = firstRow();
            for (int i = 0; i < rows.length; i++) {
                long row = first - 1 + i / COLUMNS;
                boolean own = row >= first && row < first + rowsOf(rank, ranks);
                boolean outer = row < 0 && rank == 0 || row >= ROWS && rank == ranks - 1;
                rows[i] = own || outer || ghosts ? newStep + row * 100.0 + i % COLUMNS : Double.NaN;
            }
            int place = 0;
            for (int cell = 0; cell < CELLS; cell++) {
                if (cell / BLOCK % ranks == rank) {
                    cyclic[place++] = newStep * 10000 + cell;
                }
            }
            for (int i = 0; i < byColumn.length; i++) {
                byColumn[i] = newStep + BY_COLUMN.index(rank, ranks, i);
            }
            for (int i = 0; i < list.length; i++) {
                list[i] = (byte) (newStep + 10 * rank + i);
            }
            Arrays.fill(flags, (short) newStep);
        }

        private long firstRow() {
            long first = 0;
            for (int before = 0; before < rank; before++) {
                first += rowsOf(before, ranks);
            }
            return first;
        }

        void requireEqual(State expected) {
            assertThat(step.value).isEqualTo(expected.step.value);
            assertThat(rows).isEqualTo(expected.rows);
            assertThat(cyclic).isEqualTo(expected.cyclic);
            assertThat(Arrays.copyOfRange(byColumn, 1, byColumn.length))
                    .isEqualTo(Arrays.copyOfRange(expected.byColumn, 1, byColumn.length));
            assertThat(list).isEqualTo(expected.list);
            assertThat(flags).isEqualTo(expected.flags);
        }
    }

    private void make(Map<String, String> changes) throws IOException {
        Map<String, String> all = new LinkedHashMap<>(Map.of("basic.node_size", "1"));
        all.putAll(changes);
        run = new RunFixture(directory, all);
    }

    private void start(int ranks, RunFixture.Body body) throws IOException {
        ThreadCommunicator.run(ranks, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .anyNumberOfRanks()
                    .open()) {
                if (!checkpoints.isHead()) {
                    body.run(checkpoints, checkpoints.communicator());
                }
            }
        });
    }

    /** Starts with so many ranks, expects what an earlier start has stored, and stores what comes next. */
    private void goOn(int ranks, int from, int formerRanks, int to, Level... levels) throws IOException {
        start(ranks, (checkpoints, comm) -> {
            State state = new State(comm.rank(), comm.size());
            state.protect(checkpoints);
            if (from > 0) {
                assertThat(checkpoints.isRestart()).isTrue();
                assertThat(checkpoints.formerRanks().orElse(ranks)).isEqualTo(formerRanks);
                assertThat(checkpoints.lastCheckpoint()).hasValue(from);
                state.distribute(checkpoints);
                checkpoints.recover();
                State expected = new State(comm.rank(), comm.size());
                expected.fill(from, checkpoints.formerRanks().isPresent());
                state.requireEqual(expected);
                assertThat(checkpoints.isRestart()).isFalse();
            } else {
                assertThat(checkpoints.isRestart()).isFalse();
            }
            int step = from;
            for (Level level : levels) {
                step++;
                state.fill(step, false);
                checkpoints.checkpoint(step, level);
            }
            assertThat(step).isEqualTo(to);
        });
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "4"})
    void fourRanksThenSixThenThree(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode));
        goOn(4, 0, 0, 2, Level.L1, Level.L4);
        goOn(6, 2, 4, 4, Level.L4, Level.L1);
        // Not the newest, which is of use to six ranks only.
        goOn(3, 3, 6, 5, Level.L1, Level.L4);
        goOn(3, 5, 3, 6, Level.L1);
        goOn(3, 6, 3, 6);
        goOn(1, 5, 3, 6, Level.L4);
        // More than there are rows.
        goOn(13, 6, 1, 7, Level.L4);
        goOn(13, 7, 13, 7);
    }

    /** All levels of the present number of ranks, then back to a number whose old files lie on the nodes. */
    @ParameterizedTest
    @Tag("exhaustive")
    @ValueSource(strings = {"1", "3", "4"})
    void checkpointsOfTheFormerRunAreNeverMixedWithThoseOfThisOne(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode, "basic.group_size", "2"));
        goOn(4, 0, 0, 3, Level.L4, Level.L3, Level.L2);
        goOn(2, 1, 4, 2, Level.L1);
        goOn(2, 2, 2, 3, Level.L2);
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        goOn(2, 3, 2, 3);
        goOn(4, 1, 4, 2, Level.L3);
        DirectoryTree.delete(directory.resolve("Local/node2"), new NioEngine());
        goOn(4, 2, 4, 3, Level.L4);
        goOn(6, 3, 4, 3);
    }

    /** The same number of nodes, of other sizes. */
    @ParameterizedTest
    @Tag("exhaustive")
    @ValueSource(strings = {"1", "2", "3", "4"})
    void nodesMayHaveAnotherNumberOfRanks(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode, "basic.node_size", "2"));
        goOn(4, 0, 0, 2, Level.L4, Level.L1);
        setNodeSize(1);
        goOn(2, 1, 4, 2, Level.L1);
        goOn(2, 2, 2, 3, Level.L4);
        setNodeSize(3);
        goOn(6, 3, 2, 4, Level.L1);
        goOn(6, 4, 6, 4);
    }

    private void setNodeSize(int size) throws IOException {
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("node_size( *)= \\d+", "node_size$1= " + size));
    }

    @ParameterizedTest
    @Tag("exhaustive")
    @ValueSource(strings = {"1", "2", "3", "4"})
    void headsHaveNoData(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode, "basic.head", "1", "basic.node_size", "3", "basic.inline_l4", "0"));
        start(6, (checkpoints, comm) -> {
            State state = new State(comm.rank(), comm.size());
            state.protect(checkpoints);
            state.fill(1, false);
            checkpoints.checkpoint(1, Level.L4);
        });
        start(9, (checkpoints, comm) -> {
            assertThat(checkpoints.formerRanks()).hasValue(4);
            State state = new State(comm.rank(), comm.size());
            state.protect(checkpoints);
            state.distribute(checkpoints);
            checkpoints.recover();
            State expected = new State(comm.rank(), comm.size());
            expected.fill(1, true);
            state.requireEqual(expected);
            state.fill(2, false);
            checkpoints.checkpoint(2, Level.L4);
        });
        start(9, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint()).hasValue(2));
    }

    @Test
    void differentialCheckpointsAreFoundToo() throws IOException {
        make(Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        goOn(4, 0, 0, 3, Level.L4, Level.L4_DCP, Level.L4_DCP);
        goOn(3, 3, 4, 5, Level.L4, Level.L4_DCP);
        goOn(3, 5, 3, 6, Level.L4);
        goOn(5, 6, 3, 7, Level.L4_DCP);
        goOn(5, 7, 5, 7);
    }

    /** A kill in the midst of a commit leaves two of them, and the disk one whole. */
    @Test
    void aDamagedDifferentialCheckpointDoesNotHideTheOther() throws IOException {
        make(Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        goOn(4, 0, 0, 2, Level.L4_DCP, Level.L4_DCP);
        Path global = directory.resolve("Global").resolve(run.restartValue("exec_id"));
        Path replaced = Files.createDirectory(global.resolve("drumlin-replaced-dCP"));
        for (int rank = 0; rank < 4; rank++) {
            Path file = global.resolve("dCP/dCPFile-Rank" + rank + ".fti");
            Files.copy(file, replaced.resolve(file.getFileName()));
            if (rank == 0) {
                Files.write(file, new byte[100]);
            }
        }
        goOn(3, 2, 4, 3, Level.L4);
    }

    @Test
    @Tag("exhaustive")
    void aKeptCheckpointServesAnyNumberOfRanks() throws IOException {
        make(Map.of("basic.keep_last_ckpt", "1", "basic.keep_l4_ckpt", "1"));
        goOn(4, 0, 0, 2, Level.L4, Level.L1);
        start(4, (checkpoints, comm) -> checkpoints.complete());
        start(3, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            checkpoints.complete();
        });
        assertThat(run.restartValue("failure")).isEqualTo("2");
        goOn(6, 2, 4, 4, Level.L4, Level.L4);
        goOn(3, 4, 6, 4);
    }

    /** As long as the new run has no checkpoint, everything is there for the number of ranks that left it. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4"})
    void nothingChangesUntilThereIsACheckpoint(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode));
        goOn(4, 0, 0, 2, Level.L4, Level.L1);
        Map<String, String> before = contents();
        goOn(6, 1, 4, 1);
        goOn(3, 1, 4, 1);
        Map<String, String> after = contents();
        after.keySet().removeIf(file -> !before.containsKey(file));
        assertThat(after).isEqualTo(before);
        run.run(4, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .hasValue(2));
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(
                        directory.relativize(file).toString(),
                        Integer.toString(Arrays.hashCode(Files.readAllBytes(file))));
            }
        }
        return contents;
    }

    @Test
    void aRunThatIsNotPreparedForItIsRefused() throws IOException {
        make(Map.of());
        goOn(4, 0, 0, 1, Level.L4);
        for (int ranks : new int[] {3, 6}) {
            assertThatThrownBy(() -> run.run(ranks, (checkpoints, comm) -> {}))
                    .hasMessageContaining("4 nodes, this run has " + ranks);
        }
        setNodeSize(2);
        assertThatThrownBy(() -> run.run(8, (checkpoints, comm) -> {})).isInstanceOf(IOException.class);
    }

    private void refuses(int id, Distribution distribution, String... words) throws IOException {
        start(3, (checkpoints, comm) -> {
            State state = new State(comm.rank(), comm.size());
            state.protect(checkpoints);
            state.distribute(checkpoints);
            checkpoints.distribute(id, distribution);
            assertThatThrownBy(checkpoints::recover)
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(words);
        });
    }

    @Test
    void wrongDistributionsAreRefused() throws IOException {
        make(Map.of());
        goOn(4, 0, 0, 1, Level.L4);
        refuses(1, Distribution.block(ROWS), "variable 1", "block(11)");
        refuses(1, Distribution.block(ROWS + 3).withGhosts(1, 1), "variable 1");
        refuses(2, Distribution.block(CELLS), "variable 2", "rank 0 of the former run stored");
        refuses(2, Distribution.blockCyclic(CELLS, 8), "variable 2");
        refuses(2, Distribution.blockCyclic(CELLS + 1, BLOCK), "variable 2");
        refuses(4, Distribution.block(1000), "variable 4");
        refuses(4, Distribution.replicated(), "variable 4", "replicated()");
        refuses(5, Distribution.contiguous(), "variable 5", "20000 elements and this one protects 15000");
        refuses(3, Distribution.of(ROWS * COLUMNS - 1L, BY_COLUMN), "variable 3", "gives element 186");
        refuses(3, Distribution.of(ROWS * COLUMNS, by((rank) -> 0)), "variable 3", "in two places");
        refuses(
                3,
                Distribution.of(ROWS * COLUMNS, new IndexFunction() {
                    @Override
                    public long places(int rank, int ranks) {
                        return BY_COLUMN.places(rank, ranks);
                    }

                    @Override
                    public long index(int rank, int ranks, long place) {
                        return ranks == 4 && place == 2 ? NONE : BY_COLUMN.index(rank, ranks, place);
                    }
                }),
                "variable 3",
                "of which the former run had");
    }

    private static IndexFunction by(IntToLongFunction element) {
        return new IndexFunction() {
            @Override
            public long places(int rank, int ranks) {
                return BY_COLUMN.places(rank, ranks);
            }

            @Override
            public long index(int rank, int ranks, long place) {
                return element.applyAsLong(rank);
            }
        };
    }

    @Test
    void aVariableWithoutADistributionIsRefused() throws IOException {
        make(Map.of());
        goOn(4, 0, 0, 1, Level.L4);
        start(3, (checkpoints, comm) -> {
            State state = new State(comm.rank(), comm.size());
            state.protect(checkpoints);
            assertThatThrownBy(checkpoints::recover)
                    .hasMessageContaining("variable 0")
                    .hasMessageContaining("4 ranks")
                    .hasMessageContaining("distribute(0, ...)");
            state.distribute(checkpoints);
            checkpoints.protect(9, new int[1]);
            assertThatThrownBy(checkpoints::recover).hasMessageContaining("[0, 1, 2, 3, 4, 5]");
            // One by one, in the order in which the program comes to need them.
            checkpoints.recover(0);
            assertThat(state.step.value).isEqualTo(1);
            checkpoints.recover(2);
            assertThatThrownBy(() -> checkpoints.recover(9)).hasMessageContaining("[9]");
        });
    }

    @Test
    void aRankThatHasNotProtectedTheVariableLetsNoOtherWait() throws IOException {
        make(Map.of());
        goOn(4, 0, 0, 1, Level.L4);
        assertTimeoutPreemptively(
                Duration.ofSeconds(30),
                () -> start(3, (checkpoints, comm) -> {
                    State state = new State(comm.rank(), comm.size());
                    state.protect(checkpoints);
                    state.distribute(checkpoints);
                    checkpoints.protect(20 + comm.rank(), new int[1]);
                    assertThatThrownBy(() -> checkpoints.recover(20))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("variable 20 is not protected");
                    checkpoints.recover(0);
                    assertThat(state.step.value).isEqualTo(1);
                }));
    }

    @Test
    void ranksThatDifferAreNotReplicated() throws IOException {
        make(Map.of());
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new long[] {7, comm.rank() / 3});
            checkpoints.checkpoint(1, Level.L4);
        });
        start(2, (checkpoints, comm) -> {
            checkpoints.protect(0, new long[2]);
            checkpoints.distribute(0, Distribution.replicated());
            assertThatThrownBy(checkpoints::recover)
                    .hasMessageContaining("rank 3")
                    .hasMessageContaining("from byte 8 on");
        });
    }

    /** A job on as many ranks, on other nodes than before: each rank has its own. */
    @Test
    void onAsManyRanksNothingNeedBeSaid() throws IOException {
        make(Map.of());
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new long[comm.rank()]);
            checkpoints.protect(1, new long[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        setNodeSize(2);
        start(4, (checkpoints, comm) -> {
            long[] own = {-1};
            checkpoints.protect(0, new long[comm.rank()]);
            checkpoints.protect(1, own);
            checkpoints.recover();
            assertThat(own).containsExactly(comm.rank());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4"})
    void damageIsFoundBeforeAnyDataAreUsed(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode));
        goOn(4, 0, 0, 1, Level.L4);
        Path file = run.file(
                switch (ioMode) {
                    case "2" -> "Ckpt1-mpiio.fti";
                    case "4" -> "Ckpt1-sionlib.fti";
                    default -> "Ckpt1-Rank2.fti";
                });
        byte[] bytes = Files.readAllBytes(file);
        // In the data of the last variable, which the file ends with in all modes but FTI-FF.
        bytes[ioMode.equals("3") ? 4100 : bytes.length - 5000] ^= 4;
        Files.write(file, bytes);
        assertThatThrownBy(() -> start(6, (checkpoints, comm) -> {})).hasMessageContaining("no level");
        bytes[ioMode.equals("3") ? 4100 : bytes.length - 5000] ^= 4;
        Files.write(file, bytes);
        goOn(6, 1, 4, 1);
    }

    /** Each rank has one number, and the program does not say how they are distributed. */
    private void store(int ranks, int ckptId, Level level) throws IOException {
        start(ranks, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {10 * ckptId + comm.rank()});
            checkpoints.discardRestart();
            checkpoints.checkpoint(ckptId, level);
        });
    }

    private void recover(int ranks, int ckptId) throws IOException {
        start(ranks, (checkpoints, comm) -> {
            int[] own = {-1};
            checkpoints.protect(0, own);
            checkpoints.recover();
            assertThat(own).containsExactly(10 * ckptId + comm.rank());
        });
    }

    /** What is left looks like the checkpoint of a smaller run. */
    private void loseTheLastRank(String ioMode, int ranks) throws IOException {
        if (ioMode.equals("1")) {
            Files.delete(run.file("Meta/" + run.restartValue("exec_id") + "/l4/sector" + (ranks - 1) + "-group0.fti"));
        }
        Files.delete(run.file("Ckpt1-Rank" + (ranks - 1) + ".fti"));
    }

    @ParameterizedTest
    @CsvSource({"1, sector3-group0.fti", "3, Ckpt1-Rank3.fti"})
    void aMissingFileIsRefused(String ioMode, String file) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode));
        store(4, 1, Level.L4);
        loseTheLastRank(ioMode, 4);
        for (int ranks : new int[] {2, 3}) {
            assertThatThrownBy(() -> start(ranks, (checkpoints, comm) -> {}))
                    .hasMessageContaining(file)
                    .hasMessageContaining("of 3 ranks, and 4 ranks wrote");
        }
    }

    /** The number of nodes, one here, tells nothing. */
    @Test
    void theTopologyOfRealNodesTellsTheNumber() throws IOException {
        make(Map.of("advanced.local_test", "0", "basic.node_size", "4", "basic.group_size", "1"));
        store(4, 1, Level.L4);
        setNodeSize(2);
        start(2, (checkpoints, comm) -> {});
        loseTheLastRank("3", 4);
        assertThatThrownBy(() -> start(2, (checkpoints, comm) -> {}))
                .hasMessageContaining("Ckpt1-Rank3.fti")
                .hasMessageContaining("of 3 ranks, and 4 ranks wrote");
    }

    @Test
    void aMissingFileOfARankInTheMidstIsNoticed() throws IOException {
        make(Map.of());
        store(4, 1, Level.L4);
        Files.delete(run.file("Ckpt1-Rank1.fti"));
        assertThatThrownBy(() -> start(2, (checkpoints, comm) -> {})).hasMessageContaining("no level");
    }

    /** As many ranks and nodes as this run has had since, without a checkpoint of level 4. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aMissingFileIsRefusedAlsoWhereTheTopologyIsThatOfThisRun(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode));
        store(4, 1, Level.L4);
        store(3, 2, Level.L1);
        DirectoryTree.delete(directory.resolve("Local"), new NioEngine());
        Path lost = run.file("Ckpt1-Rank3.fti");
        Files.move(lost, directory.resolve("lost"));
        if (ioMode.equals("1")) {
            Files.delete(run.file("sector3-group0.fti"));
        }
        assertThatThrownBy(() -> start(3, (checkpoints, comm) -> {})).hasMessageContaining("4 ranks wrote");
        if (ioMode.equals("3")) {
            Files.move(directory.resolve("lost"), lost);
            recover(4, 1);
        }
    }

    @Test
    void aMissingFileOfADifferentialCheckpointIsRefused() throws IOException {
        make(Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        store(4, 1, Level.L4_DCP);
        Files.delete(run.file("dCPFile-Rank3.fti"));
        assertThatThrownBy(() -> start(3, (checkpoints, comm) -> {})).hasMessageContaining("4 ranks wrote");
    }

    @Test
    void whereAHeadIsFirstTheMissingFileIsNotTakenForItsOwn() throws IOException {
        make(Map.of("basic.head", "1", "basic.node_size", "3"));
        start(6, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[1]);
            checkpoints.checkpoint(1, Level.L4);
        });
        Files.delete(run.file("Ckpt1-Rank5.fti"));
        assertThatThrownBy(() -> start(9, (checkpoints, comm) -> {})).hasMessageContaining("Ckpt1-Rank5.fti");
        make(Map.of());
        store(4, 1, Level.L4);
        Files.delete(directory.resolve("Global/" + run.restartValue("exec_id") + "/l4/Ckpt1-Rank0.fti"));
        assertThatThrownBy(() -> start(3, (checkpoints, comm) -> {})).hasMessageContaining("Ckpt1-Rank0.fti");
    }

    /** What the topology told as long as it was that of the four is in the list once it is that of others. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void theNumberThatWroteItStaysKnown(String ioMode) throws IOException {
        make(Map.of("basic.ckpt_io", ioMode));
        store(4, 1, Level.L4);
        start(6, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[comm.rank() < 4 ? 1 : 0]);
            checkpoints.distribute(0, Distribution.contiguous());
            checkpoints.recover();
            checkpoints.checkpoint(2, Level.L1);
        });
        DirectoryTree.delete(directory.resolve("Local"), new NioEngine());
        IniFile list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.sections()).containsExactly("checkpoint_id.1");
        assertThat(list.get("checkpoint_id.1", "nb_procs")).hasValue("4");
        recover(4, 1);
    }

    @Test
    void aDamagedListKeepsNoRunFromGoingOn() throws IOException {
        make(Map.of());
        store(4, 1, Level.L4);
        Path list = directory.resolve("Meta/" + run.restartValue("exec_id") + "/Checkpoint.fti");
        Files.writeString(list, "[checkpoint_id.1");
        store(6, 2, Level.L4);
        recover(6, 2);
        assertThat(list.resolveSibling("Checkpoint.fti.damaged")).hasContent("[checkpoint_id.1");
    }

    /** A run that was killed before it could replace the checkpoint, whose id it used again. */
    @Test
    void theNumberOfACheckpointThatWasToBeReplacedIsKnown() throws IOException {
        make(Map.of());
        store(4, 1, Level.L4);
        Path global = directory.resolve("Global").resolve(run.restartValue("exec_id"));
        store(6, 1, Level.L4);
        IniFile list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.sections()).containsExactly("checkpoint_id.1", "checkpoint_id.1.of4");
        assertThat(list.get("checkpoint_id.1", "nb_procs")).hasValue("6");
        // The files of the six have replaced the four; without what an interrupted commit leaves they must be six.
        Files.delete(run.file("Ckpt1-Rank5.fti"));
        Files.delete(run.file("Ckpt1-Rank4.fti"));
        DirectoryTree.delete(global.resolve("tmp"), new NioEngine());
        DirectoryTree.delete(global.resolve("drumlin-replaced-l4"), new NioEngine());
        assertThatThrownBy(() -> start(4, (checkpoints, comm) -> {})).hasMessageContaining("6 ranks wrote");
        Files.createDirectories(global.resolve("tmp"));
        recover(4, 1);
        store(4, 2, Level.L4);
        list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.sections()).containsExactly("checkpoint_id.1", "checkpoint_id.2");
    }

    /** Variables larger than what is read in one go, in several containers. */
    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "4"})
    void largeVariables(String ioMode) throws IOException {
        int length = 1_700_003;
        make(Map.of("basic.ckpt_io", ioMode));
        IntToLongFunction value = cell -> cell * 0x9E3779B97F4A7C15L;
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, part(Distribution.block(length), comm.rank(), 2, value));
            checkpoints.protect(1, part(Distribution.blockCyclic(length, 1), comm.rank(), 2, value));
            checkpoints.checkpoint(1, Level.L4);
        });
        start(3, (checkpoints, comm) -> {
            Distribution[] distributions = {Distribution.block(length), Distribution.blockCyclic(length, 1)};
            for (int id = 0; id < 2; id++) {
                long[] expected = part(distributions[id], comm.rank(), 3, value);
                long[] found = new long[expected.length];
                checkpoints.protect(id, found);
                checkpoints.distribute(id, distributions[id]);
                checkpoints.recover(id);
                assertThat(found).isEqualTo(expected);
            }
        });
    }

    private static long[] part(Distribution distribution, int rank, int ranks, IntToLongFunction value)
            throws IOException {
        long[] places = new long[ranks];
        Arrays.setAll(places, each -> ElementMaps.places(distribution, each, ranks));
        long[] part = new long[(int) places[rank]];
        ElementMaps.of(distribution, places).owned(rank, (element, place, count) -> {
            for (int i = 0; i < count; i++) {
                part[(int) place + i] = value.applyAsLong((int) element + i);
            }
        });
        return part;
    }

    @Test
    void namesAreKnownWhateverTheOrder() throws IOException {
        make(Map.of("basic.ckpt_io", "1"));
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(checkpoints.idFor("a"), new int[] {comm.rank()});
            checkpoints.protect(checkpoints.idFor("b"), new int[] {10 + comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        start(2, (checkpoints, comm) -> {
            int[] b = new int[2];
            int[] a = new int[2];
            int idOfB = checkpoints.idFor("b");
            checkpoints.protect(idOfB, b);
            checkpoints.distribute(idOfB, Distribution.block(4));
            int idOfA = checkpoints.idOf("a").orElseThrow();
            // What another number of ranks has stored has no size here.
            assertThat(checkpoints.storedSize(idOfA)).isZero();
            assertThatThrownBy(() -> checkpoints.reallocate(idOfA, a))
                    .hasMessageContaining("not in the last checkpoint");
            checkpoints.protect(idOfA, a);
            checkpoints.distribute(idOfA, Distribution.block(4));
            checkpoints.recover();
            int first = 2 * comm.rank();
            assertThat(a).containsExactly(first, first + 1);
            assertThat(b).containsExactly(10 + first, 11 + first);
        });
    }

    /** The mode FTI-FF stores no names: they have the ids again that they had, if they come in the same order. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void whereNoNamesAreStoredTheirOrderCounts(int ranks) throws IOException {
        make(Map.of());
        start(4, (checkpoints, comm) -> {
            checkpoints.protect(checkpoints.idFor("a"), new int[] {comm.rank()});
            checkpoints.protect(checkpoints.idFor("b"), new long[] {10 + comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        start(ranks, (checkpoints, comm) -> {
            int count = 4 / ranks;
            int[] a = new int[count];
            long[] b = new long[count];
            assertThat(checkpoints.idOf("a")).isEmpty();
            checkpoints.protect(checkpoints.idFor("a"), a);
            checkpoints.protect(checkpoints.idFor("b"), b);
            assertThat(checkpoints.idOf("b")).hasValue(1);
            checkpoints.distribute(0, Distribution.block(4));
            checkpoints.distribute(1, Distribution.block(4));
            checkpoints.recover();
            assertThat(a[count - 1]).isEqualTo(count * (comm.rank() + 1) - 1);
            assertThat(b[0]).isEqualTo(10 + count * comm.rank());
            checkpoints.protect(checkpoints.idFor("c"), new int[1]);
            checkpoints.checkpoint(2, Level.L4);
            assertThat(checkpoints.idFor("d")).isEqualTo(3);
        });
    }

    /** What nothing could be found of does not keep a run of another number of ranks from being restarted. */
    @Test
    void aRunOfAnotherNumberOfRanksThatBeginsAfreshCanBeRestarted() throws IOException {
        make(Map.of());
        store(4, 1, Level.L1);
        ThreadCommunicator.run(3, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .anyNumberOfRanks()
                    .freshStartIfUnrecoverable()
                    .open()) {
                assertThat(checkpoints.status()).isEqualTo(Status.FRESH);
                checkpoints.protect(0, new int[] {20 + comm.rank()});
                checkpoints.checkpoint(2, Level.L1);
            }
        });
        recover(3, 2);
    }
}
