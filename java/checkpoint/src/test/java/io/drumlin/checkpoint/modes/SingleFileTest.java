package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.SingleFile;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints in one file of all ranks: what is wrong is said on all of them, and nothing is lost before there is something new. */
class SingleFileTest {

    private static final int RANKS = 3;
    private static final long ROWS = 12;
    private static final long COLUMNS = 10;

    /** For what would wait for ever. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir(factory = InMemory.class)
    Path directory;

    private Path single;

    @BeforeEach
    void nameDirectory() {
        single = directory.resolve("single");
    }

    private RunFixture run(Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(Map.of(
                "basic.ckpt_io", "5",
                "basic.node_size", "1",
                "basic.h5_single_file_enable", "1",
                "basic.h5_single_file_dir", single.toString(),
                "basic.h5_single_file_prefix", "shared"));
        all.putAll(changes);
        return new RunFixture(directory, all);
    }

    private RunFixture restart() throws IOException {
        return run(Map.of("restart.failure", "3"));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(single)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Rows of a matrix, each a variable of its own; a rank has every so many-th. */
    private static final class Rows {
        private final SingleFile file;
        private final GlobalDataset matrix;
        private final List<long[]> rows = new ArrayList<>();
        private final Checkpoints checkpoints;
        private final Communicator comm;

        Rows(Checkpoints checkpoints, Communicator comm) {
            this(checkpoints, comm, COLUMNS);
        }

        Rows(Checkpoints checkpoints, Communicator comm, long columns) {
            this.checkpoints = checkpoints;
            this.comm = comm;
            file = checkpoints.singleFile();
            matrix = file.globalDataset("matrix", List.of(ROWS, columns), ElementType.LONG);
            declare(columns);
        }

        /** Gives the rows a length. */
        void declare(long columns) {
            rows.clear();
            matrix.resize(List.of(ROWS, columns));
            for (int i = 0; i * comm.size() + comm.rank() < ROWS; i++) {
                rows.add(new long[(int) columns]);
                checkpoints.protect(i, rows.get(i));
                file.subset(i, matrix, List.of(row(i), 0L), List.of(1L, columns));
            }
        }

        long row(int index) {
            return (long) index * comm.size() + comm.rank();
        }

        void fill(long seed) {
            for (int i = 0; i < rows.size(); i++) {
                long row = row(i);
                Arrays.setAll(rows.get(i), column -> 1000 * seed + 100 * row + column);
            }
        }

        void assertFilled(long seed) {
            List<long[]> found = rows.stream().map(long[]::clone).toList();
            fill(seed);
            assertThat(found).usingRecursiveComparison().isEqualTo(rows);
        }
    }

    private void take(int... ids) throws IOException {
        run(Map.of()).run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            for (int id : ids) {
                rows.fill(id);
                rows.file.checkpoint(id);
            }
        });
    }

    private void assertRecovers(int ranks, int id) throws IOException {
        restart().run(ranks, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_SINGLE_FILE);
            assertThat(checkpoints.singleFile().restartFile())
                    .contains(single.resolve(String.format("shared-ID%08d.h5", id)));
            Rows rows = new Rows(checkpoints, comm, 0);
            rows.file.recoverDimensions(rows.matrix);
            assertThat(rows.matrix.dimensions()).containsExactly(ROWS, COLUMNS);
            rows.declare(COLUMNS);
            if (rows.row(0) < ROWS) {
                checkpoints.recover(0);
                assertThat(rows.rows.get(0)[3]).isEqualTo(1000L * id + 100 * comm.rank() + 3);
            } else {
                checkpoints.recover(0);
            }
            checkpoints.recover();
            rows.assertFilled(id);
            assertThat(checkpoints.status()).isEqualTo(Status.FRESH);
        });
    }

    @Test
    void eachFileReplacesTheOneBefore() throws IOException {
        take(1, 2, 5);
        assertThat(files()).containsExactly("shared-ID00000005.h5");
        assertRecovers(4, 5);
        take(5, 5);
        assertRecovers(1, 5);
    }

    @Test
    void filesAreKeptAndTheNewestIsTaken() throws IOException {
        RunFixture run = run(Map.of("basic.h5_single_file_keep", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            for (int id = 9; id < 12; id++) {
                rows.fill(id);
                assertThat(rows.file.checkpoint(id).bytes()).isEqualTo(ROWS * COLUMNS * 8 / RANKS);
            }
            checkpoints.checkpoint(12, Level.L1);
            checkpoints.complete();
        });
        Files.createFile(single.resolve("shared-ID99.h5"));
        Files.createFile(single.resolve("shared2-ID00000099.h5"));
        assertThat(files()).contains("shared-ID00000009.h5", "shared-ID00000010.h5", "shared-ID00000011.h5");
        assertRecovers(2, 11);
    }

    /** The files of the levels and those of all ranks know nothing of each other. */
    @Test
    void levelsGoOnBesideTheFile() throws IOException {
        RunFixture run = run(Map.of("drumlin.async", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            rows.fill(1);
            checkpoints.checkpoint(1, Level.L1);
            rows.fill(2);
            rows.file.checkpoint(2);
            rows.fill(3);
        });
        assertThat(run.restartValue("failure")).isEqualTo("1");
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART);
            Rows rows = new Rows(checkpoints, comm);
            checkpoints.recover();
            rows.assertFilled(1);
            assertThatThrownBy(() -> rows.file.recoverDimensions(rows.matrix))
                    .hasMessageContaining("no restart from a shared HDF5 file");
        });
        assertRecovers(5, 2);
    }

    @Test
    void aRunThatBeganWithTheFileTakesCheckpointsOfItsOwn() throws IOException {
        take(5);
        restart().run(2, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            checkpoints.recover();
            rows.assertFilled(5);
            checkpoints.checkpoint(6, Level.L1);
            rows.fill(9);
            rows.file.checkpoint(9);
            checkpoints.recover();
            rows.assertFilled(5);
        });
        assertThat(files()).containsExactly("shared-ID00000005.h5", "shared-ID00000009.h5");
    }

    @Test
    void variablesAreAddedOneByOne() throws IOException {
        run(Map.of()).run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm, 3);
            rows.declare(COLUMNS);
            checkpoints.protect(77, new double[5]);
            rows.fill(4);
            try (IncrementalCheckpoint checkpoint = rows.file.incremental(4)) {
                assertThatThrownBy(() -> rows.file.checkpoint(5)).isInstanceOf(IllegalStateException.class);
                for (int i = rows.rows.size() - 1; i >= 0; i--) {
                    checkpoint.add(i);
                    Arrays.fill(rows.rows.get(i), -1);
                }
                assertThatThrownBy(() -> checkpoint.add(0)).isInstanceOf(IllegalArgumentException.class);
                checkpoint.add(77);
                checkpoint.commit();
            }
            rows.fill(2);
            try (IncrementalCheckpoint checkpoint = rows.file.incremental(5)) {
                for (int i = comm.rank() == 1 ? 1 : 0; i < rows.rows.size(); i++) {
                    checkpoint.add(i);
                }
                assertThatThrownBy(checkpoint::commit).hasMessageContaining("[0] are subsets and were not added");
            }
            try (IncrementalCheckpoint checkpoint = rows.file.incremental(5)) {
                checkpoint.add(0);
                rows.matrix.resize(List.of(ROWS, 1L));
                for (int i = 1; i < rows.rows.size(); i++) {
                    checkpoint.add(i);
                    assertThat(checkpoint.failure().orElseThrow()).hasMessageContaining("is not within");
                }
                assertThatThrownBy(checkpoint::commit).isInstanceOf(IOException.class);
            }
        });
        assertThat(files()).containsExactly("shared-ID00000004.h5");
        assertRecovers(5, 4);
    }

    private RunFixture oneRank(String name) throws IOException {
        return new RunFixture(
                Files.createDirectory(directory.resolve(name)),
                Map.of(
                        "basic.ckpt_io", "5",
                        "basic.node_size", "1",
                        "basic.h5_single_file_enable", "1",
                        "basic.h5_single_file_dir", single.toString(),
                        "basic.h5_single_file_prefix", "shared"));
    }

    @Test
    void runsThatShareTheDirectoryDoNotWriteIntoEachOthersFile() throws IOException {
        RunFixture other = oneRank("other");
        oneRank("one").run(1, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            rows.fill(1);
            try (IncrementalCheckpoint checkpoint = rows.file.incremental(1)) {
                checkpoint.add(0);
                other.run(1, (others, alone) -> {
                    Rows otherRows = new Rows(others, alone);
                    otherRows.fill(2);
                    otherRows.file.checkpoint(2);
                });
                for (int i = 1; i < rows.rows.size(); i++) {
                    checkpoint.add(i);
                }
                checkpoint.commit();
            }
        });
        assertThat(files()).containsExactly("shared-ID00000001.h5", "shared-ID00000002.h5");
        assertRecovers(2, 2);
        Files.delete(single.resolve("shared-ID00000002.h5"));
        assertRecovers(2, 1);
    }

    /** A process that outlives its killed job goes on with what is no longer there. */
    @Test
    void whatAKilledRunHasLeftIsAnotherFile() throws IOException {
        RunFixture run = run(Map.of());
        run.run(1, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            rows.fill(2);
            Path leftover = single.resolve("shared-" + checkpoints.execId() + ".h5.tmp");
            Files.createDirectories(single);
            try (RandomAccessFile survivor = new RandomAccessFile(leftover.toFile(), "rw")) {
                rows.file.checkpoint(2);
                survivor.write(new byte[10_000]);
            }
        });
        assertThat(files()).containsExactly("shared-ID00000002.h5");
        assertRecovers(2, 2);
    }

    private enum Mistake {
        OVERLAP("have elements in common: variable 0 of rank 0 at [0, 0], count [1, 10], and variable 0 of rank 1"),
        GAP("have 110 elements of global dataset /matrix, and its dimensions [12, 10] make 120"),
        OUTSIDE("is not within its dimensions"),
        SIZE("and the variable 72 bytes"),
        OTHER_DIMENSIONS("the ranks have declared different global datasets"),
        OTHER_IDS("ranks ask for different checkpoints");

        private final String message;

        Mistake(String message) {
            this.message = message;
        }

        void make(Rows rows) {
            if (rows.comm.rank() != 1) {
                return;
            }
            List<Long> one = List.of(1L, COLUMNS);
            switch (this) {
                case OVERLAP -> rows.file.subset(0, rows.matrix, List.of(0L, 0L), one);
                case GAP -> {
                    rows.checkpoints.protect(0, new long[0]);
                    rows.file.subset(0, rows.matrix, List.of(0L, 0L), List.of(0L, 0L));
                }
                case OUTSIDE -> rows.file.subset(0, rows.matrix, List.of(0L, 1L), one);
                case SIZE -> rows.checkpoints.protect(0, new long[9]);
                case OTHER_DIMENSIONS -> rows.matrix.resize(List.of(ROWS, COLUMNS + 1));
                case OTHER_IDS -> {}
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatDoesNotFitIsRefusedOnAllRanks(Mistake mistake) throws IOException {
        List<String> messages = new ArrayList<>();
        run(Map.of()).run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            rows.fill(1);
            rows.file.checkpoint(1);
            mistake.make(rows);
            try {
                rows.file.checkpoint(mistake == Mistake.OTHER_IDS ? comm.rank() + 2 : 2);
            } catch (IOException e) {
                synchronized (messages) {
                    messages.add(e.getMessage());
                }
            }
        });
        assertThat(messages).hasSize(RANKS).allMatch(message -> message.contains(mistake.message));
        assertThat(files()).containsExactly("shared-ID00000001.h5");
        assertRecovers(2, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dimensions", "size", "type", "name", "gap"})
    void aRecoveryThatDoesNotFitFailsOnAllRanks(String what) throws IOException {
        take(1);
        restart().run(2, (checkpoints, comm) -> {
            SingleFile file = checkpoints.singleFile();
            long rows = what.equals("dimensions") ? ROWS * 2 : ROWS;
            boolean shorts = what.equals("size");
            GlobalDataset matrix = file.globalDataset(
                    what.equals("name") ? "other" : "matrix",
                    List.of(rows, COLUMNS),
                    shorts ? ElementType.SHRT : what.equals("type") ? ElementType.DBLE : ElementType.LONG);
            long half = rows / 2 - (what.equals("gap") && comm.rank() == 1 ? 1 : 0);
            int elements = (int) (half * COLUMNS);
            checkpoints.protect(0, shorts ? new short[elements] : new long[elements]);
            file.subset(0, matrix, List.of(comm.rank() * half, 0L), List.of(half, COLUMNS));
            assertThatThrownBy(checkpoints::recover).isInstanceOf(IOException.class);
            assertThat(checkpoints.isRestart()).isTrue();
        });
    }

    /** Rank 0 could read what it needs, rank 1 could not. */
    @ParameterizedTest
    @CsvSource({"LONG, true", "ULNG, false", "DBLE, false"})
    void elementsOfAnotherTypeLeaveTheVariablesOfAllRanksAsTheyAre(ElementType second, boolean recovered)
            throws IOException {
        run(Map.of()).run(1, (checkpoints, comm) -> {
            protectPart(checkpoints, 0, new long[] {1, 2}, ElementType.LONG);
            protectPart(checkpoints, 1, new long[] {3, 4}, ElementType.LONG);
            checkpoints.singleFile().checkpoint(1);
        });
        restart().run(2, (checkpoints, comm) -> {
            long[] values = new long[2];
            for (int id = 0; id < 2; id++) {
                ElementType type = id == 0 ? ElementType.LONG : second;
                protectPart(checkpoints, id, id == comm.rank() ? values : new long[0], type);
            }
            if (recovered) {
                checkpoints.recover();
                assertThat(values).containsExactly(1 + 2L * comm.rank(), 2 + 2L * comm.rank());
                return;
            }
            for (ThrowingCallable recovery :
                    List.<ThrowingCallable>of(checkpoints::recover, () -> checkpoints.recover(1))) {
                assertThatThrownBy(recovery)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("shared-ID00000001.h5")
                        .hasMessageContaining("global dataset /part1")
                        .hasMessageContaining("signed integer of 64 bits there, and ");
            }
            assertThat(values).containsOnly(0);
        });
    }

    /** A variable that is all of a dataset of two elements, or none of it. */
    private static void protectPart(Checkpoints checkpoints, int id, long[] values, ElementType type) {
        SingleFile file = checkpoints.singleFile();
        GlobalDataset dataset = file.globalDataset("part" + id, List.of(2L), type);
        checkpoints.protect(id, values, values.length, type);
        file.subset(id, dataset, List.of(0L), List.of((long) values.length));
    }

    /** C FTI lets the library convert the elements. */
    @Test
    void aVariableOfAnotherTypeThanItsDatasetIsRefused() throws IOException {
        take(1);
        restart().run(1, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            double[] other = new double[(int) COLUMNS];
            checkpoints.protect(3, other);
            checkpoints.discardRestart();
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    checkpoints::recover, () -> checkpoints.recover(3), () -> rows.file.checkpoint(2))) {
                assertThatThrownBy(call)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("variable 3 as the subset of global dataset /matrix")
                        .hasMessageContaining("signed integer of 64 bits there, and floating point of 64 bits here");
            }
            assertThat(other).containsOnly(0);
        });
        assertThat(files()).containsExactly("shared-ID00000001.h5");
    }

    /** Beyond the end of the dataset, in the row after, and not all of the variable. */
    @ParameterizedTest
    @CsvSource({
        "11, 8, 4, 4, is not within its dimensions",
        "0, 1, 10, 10, is not within its dimensions",
        "0, 0, 10, 12, and the variable 96 bytes"
    })
    void aVariableThatIsNotWhatItsSubsetIsFailsAlone(long row, long column, long columns, int elements, String message)
            throws IOException {
        take(1);
        RunFixture restart = restart();
        assertTimeoutPreemptively(
                LIMIT,
                () -> restart.run(2, (checkpoints, comm) -> {
                    Rows rows = new Rows(checkpoints, comm);
                    if (comm.rank() == 1) {
                        checkpoints.protect(0, new long[elements]);
                        rows.file.subset(0, rows.matrix, List.of(row, column), List.of(1L, columns));
                    }
                    assertThatThrownBy(() -> checkpoints.recover(0))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("variable 0 as the subset of global dataset /matrix")
                            .hasMessageContaining(message);
                }));
    }

    @Test
    void aRankThatHasNotProtectedTheVariableLetsNoOtherWait() throws IOException {
        take(1);
        RunFixture restart = restart();
        assertTimeoutPreemptively(
                LIMIT,
                () -> restart.run(2, (checkpoints, comm) -> {
                    Rows rows = new Rows(checkpoints, comm);
                    int id = 20 + comm.rank();
                    checkpoints.protect(id, new long[1]);
                    assertThatThrownBy(() -> checkpoints.recover(20))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("variable 20 is not protected");
                    checkpoints.recover();
                    rows.assertFilled(1);
                }));
    }

    private static void cut(Path file, long bytes) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.setLength(opened.length() - bytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, false", "0, false", "1, true"})
    void aDamagedFileIsNotRecovered(int bytes, boolean kept) throws IOException {
        run(Map.of("basic.h5_single_file_keep", "1")).run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            for (int id = kept ? 1 : 2; id <= 2; id++) {
                rows.fill(id);
                rows.file.checkpoint(id);
            }
        });
        Path newest = single.resolve("shared-ID00000002.h5");
        if (bytes == 0) {
            Files.writeString(newest, "what is in it is no HDF5");
        } else {
            cut(newest, bytes);
        }
        if (kept) {
            assertRecovers(4, 1);
            return;
        }
        RunFixture restart = restart();
        ThreadCommunicator.run(2, comm -> assertThatThrownBy(() -> Checkpoints.open(restart.config(), comm))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("there is no whole file shared-ID########.h5"));
        assertThat(restart.restartValue("failure")).isEqualTo("3");
    }

    /** Only its bytes prove that a file is lost; a program that goes on from an older one whatever the reason says so. */
    @ParameterizedTest
    @CsvSource({
        "java.lang.IllegalStateException, stop, none",
        "java.lang.IllegalStateException, older, 1",
        "java.lang.OutOfMemoryError, stop, none",
        "java.io.IOException, stop, none",
        "java.lang.OutOfMemoryError, older, 1",
        "java.io.IOException, older, 1"
    })
    void aFileThatFailsIsPassedOverIfAskedFor(Class<? extends Throwable> failure, String onUnreadable, String expected)
            throws IOException {
        run(Map.of("basic.h5_single_file_keep", "1")).run(RANKS, (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            rows.file.checkpoint(1);
            rows.file.checkpoint(2);
        });
        RunFixture restart = run(Map.of("restart.failure", "3", "drumlin.on_unreadable", onUnreadable));
        Path newest = single.resolve("shared-ID00000002.h5");
        ThrowingCallable start = () -> ThreadCommunicator.run(2, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(restart.config())
                    .communicator(comm)
                    .storage(failingAt(newest, failure))
                    .open()) {
                assertThat(checkpoints.singleFile().restartFile()).contains(single.resolve("shared-ID00000001.h5"));
            }
        });
        if (expected.equals("none")) {
            assertThatThrownBy(start).hasMessageContaining("may be whole").hasMessageContaining("as if");
        } else {
            assertThatCode(start).doesNotThrowAnyException();
        }
    }

    /** A storage that cannot open one file. */
    private static StorageEngine failingAt(Path path, Class<? extends Throwable> failure) {
        StorageEngine engine = new NioEngine();
        return (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("open") && arguments[0].equals(path)) {
                        throw failure.getConstructor(String.class).newInstance("as if");
                    }
                    try {
                        return method.invoke(engine, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** What failed on one rank fails on all; the file before stays, and nothing lies about. */
    @ParameterizedTest
    @CsvSource({
        "ALLOCATE, 0, ENOSPC",
        "WRITE, 1, ENOSPC",
        "WRITE, 0, EIO",
        "OPEN, 1, EACCES",
        "SYNC, 2, EIO",
        "CLOSE, 1, EIO",
        "CLOSE, 0, EIO",
        "RENAME, 0, EIO"
    })
    void aFaultLeavesTheFileBefore(Operation operation, int rank, String errno) throws IOException {
        List<String> messages = new ArrayList<>();
        RunFixture run = run(Map.of());
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine engine = new FaultyEngine(new NioEngine());
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(engine)
                    .open()) {
                Rows rows = new Rows(checkpoints, comm);
                rows.fill(1);
                rows.file.checkpoint(1);
                rows.fill(2);
                if (comm.rank() == rank) {
                    engine.fail(operation, 1, errno);
                }
                try {
                    rows.file.checkpoint(2);
                } catch (IOException e) {
                    synchronized (messages) {
                        messages.add(e.getMessage());
                    }
                }
            }
        });
        assertThat(messages).hasSize(RANKS).allMatch(message -> message.contains(errno));
        assertThat(files()).containsExactly("shared-ID00000001.h5");
        assertRecovers(2, 1);
    }

    /** Whatever a kill or a power loss leaves between two operations, the newest file is one of the two, and whole. */
    @ParameterizedTest
    @EnumSource
    @Tag("exhaustive")
    void everyPrefixOfACheckpointIsRecoverable(Crash crash) throws IOException {
        long seed = System.nanoTime();
        Path recorded = Files.createDirectory(directory.resolve("recorded"));
        single = recorded.resolve("single");
        FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
        CrashJournal[] journal = new CrashJournal[1];
        RunFixture run = run(Map.of());
        run.run(2, (builder, rank) -> builder.storage(engine), (checkpoints, comm) -> {
            Rows rows = new Rows(checkpoints, comm);
            rows.fill(1);
            rows.file.checkpoint(1);
            comm.barrier();
            if (comm.rank() == 0) {
                journal[0] = engine.record(recorded);
            }
            comm.barrier();
            rows.fill(2);
            rows.file.checkpoint(2);
        });
        int newer = 0;
        for (int prefix = 0; prefix <= journal[0].size(); prefix++) {
            Path remains = Files.createDirectory(directory.resolve("remains" + prefix));
            journal[0].replay(prefix, remains, crash, new Random(seed + prefix));
            single = remains.resolve("single");
            int expected = files().contains("shared-ID00000002.h5") ? 2 : 1;
            newer += expected - 1;
            try {
                assertRecovers(3, expected);
            } catch (IOException | AssertionError e) {
                throw new AssertionError("after " + journal[0].operations().subList(0, prefix) + ", seed " + seed, e);
            }
        }
        assertThat(newer).isPositive();
    }
}
