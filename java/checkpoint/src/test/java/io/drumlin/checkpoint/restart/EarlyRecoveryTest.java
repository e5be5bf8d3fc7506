package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.redundancy.VerifiedTransfer;
import io.drumlin.checkpoint.internal.verify.EarlyRecovery;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SpoiledSends;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts that know their variables before a checkpoint is verified. */
class EarlyRecoveryTest {

    private static final int RANKS = 2;

    /** Several slabs, and no multiple of one. */
    private static final int LARGE = 3_234_567;

    /** The large variables are parts of it: to make so many random bytes anew for each would take most of the time. */
    private static final byte[] NOISE = new byte[LARGE + 100_000];

    static {
        new Random(7).nextBytes(NOISE);
    }

    @TempDir(factory = InMemory.class)
    private Path directory;

    /** What a rank protects. */
    private static final class Data {
        final Scalar.OfLong step = new Scalar.OfLong(0);
        final byte[] large;
        final double[] doubles = new double[1001];
        final short[] few = new short[3];

        Data(int size) {
            large = new byte[size];
        }

        /** Of one checkpoint of one rank. */
        static Data of(int ckptId, Communicator comm) {
            Data data = new Data(LARGE + comm.rank());
            Random random = new Random(31L * ckptId + comm.rank());
            data.step.value = random.nextLong();
            System.arraycopy(NOISE, random.nextInt(NOISE.length - data.large.length), data.large, 0, data.large.length);
            Arrays.setAll(data.doubles, i -> random.nextDouble());
            Arrays.fill(data.few, (short) random.nextInt());
            return data;
        }

        static Data empty(Communicator comm) {
            return new Data(LARGE + comm.rank());
        }

        Map<Integer, Object> byId() {
            Map<Integer, Object> all = new LinkedHashMap<>();
            all.put(3, few);
            all.put(0, step);
            all.put(2, large);
            all.put(1, doubles);
            return all;
        }

        Checkpoints.Builder protectIn(Checkpoints.Builder builder) {
            byId().forEach(builder::protect);
            return builder;
        }

        void isThatOf(int ckptId, Communicator comm) {
            isSameAs(of(ckptId, comm));
        }

        void isSameAs(Data expected) {
            assertThat(step.value).isEqualTo(expected.step.value);
            assertThat(Arrays.mismatch(large, expected.large)).isEqualTo(-1);
            assertThat(doubles).isEqualTo(expected.doubles);
            assertThat(few).isEqualTo(expected.few);
        }
    }

    private RunFixture checkpointed(String ioMode, Level... levels) throws IOException {
        return checkpointed(directory, ioMode, levels);
    }

    private static RunFixture checkpointed(Path at, String ioMode, Level... levels) throws IOException {
        RunFixture run =
                new RunFixture(at, Map.of("basic.ckpt_io", ioMode, "basic.node_size", "1", "basic.group_size", "2"));
        run.run(RANKS, (checkpoints, comm) -> {
            int ckptId = 0;
            for (Level level : levels) {
                Data data = Data.of(++ckptId, comm);
                data.byId().forEach(checkpoints::protect);
                ((FtiCheckpoints) checkpoints).setAttribute(1, "doubles");
                checkpoints.checkpoint(ckptId, level);
            }
        });
        return run;
    }

    private static Checkpoints.Builder builder(RunFixture run, Communicator comm) {
        return Checkpoints.builder(run.config()).communicator(comm);
    }

    /** Of rank 0, at level 1 to 3. */
    private Path plainFile(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-Rank0.fti");
    }

    @ParameterizedTest
    @CsvSource({"1, L1", "2, L1", "3, L1", "4, L1", "1, L2", "3, L2", "1, L3", "3, L3"})
    void theDataAreThereWhenTheRunIsOpen(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints =
                    data.protectIn(builder(run, comm)).storage(engine).open()) {
                data.isThatOf(1, comm);
                assertThat(checkpoints.isRestart()).isTrue();
                long read = engine.bytesRead(directory);
                assertThat(read).isGreaterThan(LARGE);
                checkpoints.recover();
                assertThat(engine.bytesRead(directory)).isEqualTo(read);
                assertThat(checkpoints.isRestart()).isFalse();
                data.isThatOf(1, comm);
            }
        });
    }

    /** Sent or received: what makes the lost files again comes into the variables in the same pass. */
    @ParameterizedTest
    @CsvSource({"1, L2, 0", "1, L2, 1", "3, L2, 0", "3, L2, 1", "1, L3, 0", "1, L3, 1", "3, L3, 0", "3, L3, 1"})
    void theDataOfALostNodeAreThereToo(String ioMode, Level level, int lost) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        DirectoryTree.delete(directory.resolve("Local/node" + lost), new NioEngine());
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints =
                    data.protectIn(builder(run, comm)).storage(engine).open()) {
                data.isThatOf(1, comm);
                long read = engine.bytesRead(directory);
                // A file of level 3 is verified when it is made.
                long made = level == Level.L3 ? 3L * LARGE / 2 : LARGE;
                assertThat(read).isLessThan(comm.rank() == lost ? made : 5L * LARGE / 2);
                checkpoints.recover();
                assertThat(engine.bytesRead(directory)).isEqualTo(read);
                data.isThatOf(1, comm);
            }
        });
    }

    /** A survivor's file is read to the end before it is known to be damaged; the other rank has the variables of it then. */
    @ParameterizedTest
    @CsvSource({
        "1, L2, -Rank0.fti", "3, L2, -Rank0.fti", "1, L2, -Pcof0.fti", "3, L2, -Pcof0.fti",
        "1, L3, -Rank0.fti", "3, L3, -Rank0.fti", "1, L3, -RSed0.fti", "3, L3, -RSed0.fti"
    })
    void dataThatWereSentAndAreDamagedDoNotStay(String ioMode, Level level, String file) throws IOException {
        RunFixture run = checkpointed(ioMode, Level.L4, level);
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        Tamper.flip(run.file("Ckpt2" + file));
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
        assertNothingUnfinished();
    }

    /** The survivor's files are whole; what the other rank made of them is not. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void dataThatChangedOnTheirWayDoNotStay(String ioMode) throws IOException {
        RunFixture run = checkpointed(ioMode, Level.L4, Level.L2);
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            Communicator spoiled = SpoiledSends.of(comm, VerifiedTransfer.TAG, 100_000);
            try (Checkpoints checkpoints = data.protectIn(builder(run, spoiled)).open()) {
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
        assertNothingUnfinished();
    }

    /** But for a group that must try twice, all have their data: some sent or made files, others share none with who has lost some. */
    @ParameterizedTest
    @CsvSource({
        "1, L2, 2, false",
        "3, L2, 2, false",
        "1, L3, 2, false",
        "3, L3, 2, false",
        "1, L3, 2, true",
        "3, L3, 2, true",
        "1, L2, 4, false",
        "3, L2, 4, false",
        "1, L3, 4, false",
        "3, L3, 4, false"
    })
    void allRanksHaveTheirDataAfterALossWhenTheRunIsOpen(String ioMode, Level level, int groupSize, boolean fault)
            throws IOException {
        RunFixture run = new RunFixture(directory, "ckpt_io=" + ioMode + ", node_size=1, group_size=" + groupSize);
        int ranks = 2 * RANKS;
        run.run(ranks, (checkpoints, comm) -> {
            Data.of(1, comm).byId().forEach(checkpoints::protect);
            checkpoints.checkpoint(1, level);
        });
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        ThreadCommunicator.run(ranks, comm -> {
            Data data = Data.empty(comm);
            boolean once = !fault || comm.rank() >= RANKS;
            FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
            if (fault && comm.rank() == 1) {
                // The first file that it makes.
                engine.fail(Operation.ALLOCATE, 1, "EIO");
            }
            try (Checkpoints checkpoints =
                    data.protectIn(builder(run, comm)).storage(engine).open()) {
                long read = engine.bytesRead(directory);
                if (once) {
                    data.isThatOf(1, comm);
                }
                checkpoints.recover();
                data.isThatOf(1, comm);
                if (once) {
                    assertThat(engine.bytesRead(directory)).isEqualTo(read);
                }
            }
        });
    }

    private void assertNothingUnfinished() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("drumlin-restored-"));
        }
    }

    @Test
    void theyKeepTheNamesThatAreStored() throws IOException {
        RunFixture run = checkpointed("1", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints =
                    Data.empty(comm).protectIn(builder(run, comm)).open()) {
                checkpoints.recover();
                checkpoints.checkpoint(2, Level.L1);
            }
        });
        try (Stream<Path> files = Files.walk(directory.resolve("Meta"))) {
            Path group = files.filter(file -> file.endsWith("l1/sector0-group0.fti"))
                    .findFirst()
                    .orElseThrow();
            assertThat(group).content().contains("Ckpt2-Rank0.fti").contains("doubles");
        }
    }

    /** It is kept, or found, in another way; the program sees no difference. */
    @ParameterizedTest
    @CsvSource({"1, L4", "2, L4", "3, L4", "4, L4", "5, L1", "5, L4", "1, L2", "3, L2", "1, L3", "3, L3"})
    void theyAreRecoveredFromOtherLevelsAndAfterALoss(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        if (level == Level.L2 || level == Level.L3) {
            DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        }
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void aDamagedFileGivesWayToTheNextLevelOnAllRanks(String ioMode) throws IOException {
        RunFixture run = checkpointed(ioMode, Level.L2, Level.L1);
        Tamper.flip(plainFile(run, 2));
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                assertThat(checkpoints.lastCheckpoint()).hasValue(1);
                data.isThatOf(1, comm);
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
    }

    /** It is made again, from files whose bytes went into variables. */
    @ParameterizedTest
    @CsvSource({"1, L2", "3, L2", "1, L3", "3, L3"})
    void aDamagedFileIsMadeAgain(String ioMode, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        byte[] whole = Files.readAllBytes(plainFile(run, 1));
        Tamper.flip(plainFile(run, 1));
        recovered(run, new NioEngine());
        assertThat(Arrays.mismatch(Files.readAllBytes(plainFile(run, 1)), whole))
                .isEqualTo(-1);
    }

    /**
     * A plain file is read once, by the rank that recovers it, though others get it. At level 3 in the mode FTI-FF reading ahead of what no digest
     * covers takes all of so small a file again.
     */
    @ParameterizedTest
    @CsvSource({"1, Pcof, L2", "3, Pcof, L2", "1, RSed, L3", "3, RSed, L3"})
    void lostRedundancyIsMadeAgain(String ioMode, String kind, Level level) throws IOException {
        RunFixture run = checkpointed(ioMode, level);
        Path lost = run.file("Ckpt1-" + kind + "0.fti");
        byte[] whole = Files.readAllBytes(lost);
        Files.delete(lost);
        FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
        recovered(run, engine);
        assertThat(Arrays.mismatch(Files.readAllBytes(lost), whole)).isEqualTo(-1);
        long times = ioMode.equals("3") && level == Level.L3 ? 2 : 1;
        assertThat(engine.bytesRead(directory)).isLessThan(times * LARGE + LARGE / 2);
    }

    /** The file has them in the order in which they were added. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void variablesOfAnIncrementalCheckpointMayComeInAnyOrder(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "basic.node_size", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            Data.of(1, comm).byId().forEach(checkpoints::protect);
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(1, Level.L1)) {
                for (int id : new int[] {1, 2, 0, 3}) {
                    checkpoint.add(id);
                }
                checkpoint.commit();
            }
        });
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            data.protectIn(builder(run, comm)).open().close();
            data.isThatOf(1, comm);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "E", "F"})
    void aVariableThatHasGrownIsInSeveralContainers(String layout) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "drumlin.layout", layout));
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = Data.of(2, comm);
            data.byId().forEach(checkpoints::protect);
            checkpoints.protect(2, data.large, 1000);
            checkpoints.checkpoint(1, Level.L1);
            checkpoints.protect(2, data.large);
            checkpoints.checkpoint(2, Level.L1);
        });
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                data.isThatOf(2, comm);
                checkpoints.recover();
                data.isThatOf(2, comm);
            }
        });
    }

    @Test
    void ranksThatNameNothingRecoverAsEver() throws IOException {
        RunFixture run = checkpointed("3", Level.L2);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            Checkpoints.Builder builder = builder(run, comm);
            try (Checkpoints checkpoints = (comm.rank() == 0 ? data.protectIn(builder) : builder).open()) {
                data.byId().forEach(checkpoints::protect);
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
    }

    /** No mode writes such a file now, but nothing in its metadata forbids it. */
    @Test
    void partsOfAVariableComeToTheirPlaces() {
        byte[] values = new byte[8];
        EarlyRecovery early = new EarlyRecovery();
        early.into(Map.of(1, ProtectedData.of(values)));
        Chunk whole = new Chunk(-1, 0, 100, 10, Optional.of("digest"));
        List<Chunk> parts =
                List.of(new Chunk(1, 4, 100, 4, Optional.empty()), new Chunk(1, 0, 106, 4, Optional.empty()));
        StoredFile file = new StoredFile(1, parts, Map.of(1, 8L), Map.of(), Optional.of(whole), Optional.empty());
        ChunkSink sink = early.sink(file).orElseThrow();
        sink.take(whole, 0, ByteBuffer.wrap(new byte[] {5, 6, 7}));
        sink.take(whole, 3, ByteBuffer.wrap(new byte[] {8, -1, -1, 1, 2, 3, 4}));
        assertThat(values).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    void ifNothingIsWholeTheRunIsNotOpened() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        Tamper.flip(plainFile(run, 1));
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> Data.empty(comm)
                        .protectIn(builder(run, comm))
                        .open()
                        .close()))
                .hasMessageContaining("at no level");
    }

    @Test
    void aFreshStartFindsTheDataOfTheProgram() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        Tamper.flip(plainFile(run, 1));
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.of(7, comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm))
                    .freshStartIfUnrecoverable()
                    .open()) {
                assertThat(checkpoints.isRestart()).isFalse();
                data.isThatOf(7, comm);
            }
        });
    }

    @Test
    void aFreshStartRecoversWhatIsWhole() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.of(7, comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm))
                    .freshStartIfUnrecoverable()
                    .open()) {
                data.isThatOf(7, comm);
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {10, LARGE + 100})
    void otherSizesAreRecoveredWhenTheyAreProtectedAnew(int size) throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = new Data(size);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                assertThat(data.large).containsOnly(0);
                assertThatThrownBy(checkpoints::recover).hasMessageContaining(size + " bytes are protected");
                byte[] large = new byte[(int) checkpoints.storedSize(2)];
                checkpoints.protect(2, large);
                checkpoints.recover();
                assertThat(large).isEqualTo(Data.of(1, comm).large);
            }
        });
    }

    @Test
    void anotherArrayIsReadFromTheFile() throws IOException {
        RunFixture run = checkpointed("1", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            Data expected = Data.of(1, comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                double[] doubles = new double[1001];
                checkpoints.protect(1, doubles);
                checkpoints.recover();
                assertThat(doubles).isEqualTo(expected.doubles);
                data.isSameAs(expected);
            }
        });
    }

    @Test
    void oneVariableIsRecoveredAgainAndAgain() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                for (int i = 0; i < 2; i++) {
                    checkpoints.recover(1);
                    assertThat(data.doubles).isEqualTo(Data.of(1, comm).doubles);
                    Arrays.fill(data.doubles, i);
                }
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
    }

    /** What was verified is not what is there. */
    @Test
    void aFileThatIsWrittenAfterwardsIsReadAgain() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                if (comm.rank() == 0) {
                    Path file = plainFile(run, 1);
                    Tamper.flip(file);
                    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
                    assertThatThrownBy(checkpoints::recover).hasMessageContaining("MD5");
                } else {
                    checkpoints.recover();
                }
                comm.barrier();
            }
        });
    }

    @Test
    void aCheckpointBeforeTheRecoveryIsTheOneThatIsRecovered() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints = data.protectIn(builder(run, comm)).open()) {
                checkpoints.discardRestart();
                data.doubles[7] = -1;
                checkpoints.checkpoint(2, Level.L1);
                data.doubles[7] = -2;
                checkpoints.recover();
                assertThat(data.doubles[7]).isEqualTo(-1);
            }
        });
    }

    /** The program has gone on since the run was opened, so the variables are not what is stored. */
    @Test
    void afterAFailedCheckpointTheOneBeforeIsReadAgain() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
            Data data = Data.empty(comm);
            try (Checkpoints checkpoints =
                    data.protectIn(builder(run, comm)).storage(engine).open()) {
                data.doubles[7] = -1;
                engine.fail(Operation.WRITE, 1, "ENOSPC");
                checkpoints.discardRestart();
                assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).isInstanceOf(IOException.class);
                checkpoints.recover();
                data.isThatOf(1, comm);
            }
        });
    }

    @Test
    void whatIsProtectedAheadIsInTheFirstCheckpoint() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints =
                    Data.of(5, comm).protectIn(builder(run, comm)).open()) {
                checkpoints.checkpoint(1, Level.L1);
            }
        });
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = Data.empty(comm);
            data.byId().forEach(checkpoints::protect);
            checkpoints.recover();
            data.isThatOf(5, comm);
        });
    }

    @Test
    void anIdThatIsOutOfRangeIsRefused() throws IOException {
        RunFixture run = checkpointed("3", Level.L1);
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> builder(run, comm)
                        .protect(comm.rank() == 0 ? 1 : -1, new int[1])
                        .open()
                        .close()))
                .hasMessageContaining("variable id -1");
    }

    /** It is read again, or what the other level has is recovered, by all; or the run is not opened. */
    @Tag("exhaustive")
    @Test
    void afterAFailingReadNobodyHasOtherData() throws IOException {
        int reads = Integer.MAX_VALUE;
        for (int nth = 1; nth <= reads; nth++) {
            RunFixture run =
                    checkpointed(Files.createDirectory(directory.resolve("run" + nth)), "3", Level.L2, Level.L1);
            FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
            faulty.fail(Operation.READ, nth, "EIO");
            try {
                int[] found = recovered(run, faulty);
                assertThat(found[1]).isEqualTo(found[0]);
            } catch (DrumlinException e) {
                assertThat(e).hasMessageContaining("EIO");
            }
            reads = faulty.count(Operation.READ);
        }
        assertThat(reads).isGreaterThan(LARGE >> 20);
    }

    /** The ids of the checkpoints of which the ranks got the data. */
    private static int[] recovered(RunFixture run, StorageEngine ofRank0) throws IOException {
        int[] found = new int[RANKS];
        ThreadCommunicator.run(RANKS, comm -> {
            int rank = comm.rank();
            Data data = Data.empty(comm);
            StorageEngine engine = rank == 0 ? ofRank0 : new NioEngine();
            try (Checkpoints checkpoints =
                    data.protectIn(builder(run, comm)).storage(engine).open()) {
                found[rank] = checkpoints.lastCheckpoint().orElseThrow();
                checkpoints.recover();
                data.isThatOf(found[rank], comm);
            }
        });
        return found;
    }
}
