package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Codec;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.Agents;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.FaultPoint;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.MixedVariables;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.fixture.TwoVariables;
import io.drumlin.checkpoint.heads.HeadsTest;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.levels.LevelsContract;
import io.drumlin.checkpoint.modes.WrongReads.Restart;
import io.drumlin.checkpoint.objects.NestedArrays;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every mode of {@code ckpt_io} promises a program; each has a subclass. */
@ExtendWith(EngineLog.class)
public abstract class IoModeContract extends LevelsContract {

    static final int RANKS = 4;
    public static final int INTS = 20_000;
    public static final int OLDER = 1;
    static final int NEWER = 2;
    private static final int PAIR = 2;

    /** No multiples of a block: in the shared file the second rank's bytes begin in the midst of one. */
    private static final int[] LARGE = {1_100_003, 70_000, 200_001};

    /** Metadata, what is between chunks, and blocks of which a part is wanted. */
    private static final long FEW = 768 << 10;

    /** The value of {@code ckpt_io}. */
    public abstract int ioMode();

    /** What messages call it. */
    abstract String nameOfMode();

    /** The file of level 4 that the last rank's data are in. */
    public Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-Rank" + (RANKS - 1) + suffix());
    }

    /** Where in that file a byte of the data is. */
    public int placeOfData(Path file) throws IOException {
        return (int) Files.size(file) - 1;
    }

    /** The directory of a node in which heads leave copies of level 4. */
    String copiesOfHeads() {
        return "lL4Dir";
    }

    @Override
    protected final Map<String, String> mode() {
        return Map.of("basic.ckpt_io", Integer.toString(ioMode()));
    }

    /** A run of this mode on nodes of one rank in groups of two, if the changes do not say otherwise. */
    public final RunFixture make(Map<String, String> changes) throws IOException {
        Map<String, String> all = RunFixture.settings("node_size=1, group_size=2", mode());
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

    /** Returns what {@link #take} writes for a rank. */
    static byte[] bytes(int rank, int seed) {
        ByteBuffer bytes = ByteBuffer.allocate(4004 * rank).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 1001 * rank; i++) {
            bytes.putInt(seed * 10_000_000 + rank * 100_000 + i);
        }
        return bytes.array();
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
        Tamper.flip(file, placeOfData(file));
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

    /** What a thread of the rank takes while the rank computes. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    void aCheckpointHasTheDataOfItsMoment(Level level) throws IOException {
        RunFixture run = make(Map.of("drumlin.async", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            MixedVariables data = new MixedVariables(checkpoints);
            data.set(1, comm.rank());
            checkpoints.checkpoint(1, level);
            assertThat(checkpoints.isUnderway()).isTrue();
            data.set(2, comm.rank());
            talk(checkpoints.communicator());
            checkpoints.await();
            assertThat(checkpoints.isUnderway()).isFalse();
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            checkpoints.recover();
            data.require(1, comm.rank());
            data.set(3, comm.rank());
            checkpoints.checkpoint(3, level);
            data.set(4, comm.rank());
            // Whoever closes waits, too.
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            MixedVariables data = new MixedVariables(checkpoints);
            checkpoints.recover();
            data.require(3, comm.rank());
        });
    }

    /** File servers, crashes and snapshots leave files of their own in every directory. */
    @Test
    void strayFilesDoNotMatter() throws IOException {
        RunFixture run = make(Map.of());
        take(run, 1, Level.L1, Level.L2, Level.L4);
        List<Path> directories;
        try (Stream<Path> tree = Files.walk(run.directory())) {
            directories = tree.filter(Files::isDirectory)
                    .filter(path -> !path.equals(run.directory()))
                    .toList();
        }
        for (Path each : directories) {
            Files.writeString(each.resolve(".nfs0001"), "of a file server");
            Files.writeString(each.resolve("core.1"), "of a process that has crashed");
            Files.createDirectory(each.resolve(".snapshot"));
        }
        recover(run, 3, Level.L4);
        take(run, 4, Level.L1, Level.L2, Level.L3, Level.L4, Level.L1);
        run.loseNode(1);
        recover(run, 7, Level.L4);
        run.run(RANKS, (checkpoints, comm) -> {
            recover(checkpoints, comm, 7, Level.L4);
            checkpoints.complete();
        });
        assertThat(run.files()).isNotEmpty().noneMatch(name -> name.contains("Ckpt"));
    }

    /** The program's own messages, at the same time as those of the checkpoint. */
    private static void talk(Communicator comm) throws IOException {
        for (int i = 0; i < 50; i++) {
            long[] sum = {comm.rank() + i};
            comm.allreduce(sum, Op.SUM);
            assertThat(sum[0]).isEqualTo(6 + 4L * i);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    void aFailureIsThrownOnAllRanksByTheNextCall(Level level) throws IOException {
        RunFixture run = make(Map.of("drumlin.async", "1"));
        List<List<String>> told = ThreadCommunicator.call(RANKS, comm -> {
            List<String> failures = new ArrayList<>();
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints = open(run, comm, storage)) {
                MixedVariables data = new MixedVariables(checkpoints);
                if (comm.rank() == 2) {
                    storage.fail(Operation.SYNC, 1, "ENOSPC");
                }
                data.set(1, comm.rank());
                checkpoints.checkpoint(1, level);
                data.set(2, comm.rank());
                try {
                    checkpoints.checkpoint(2, level);
                } catch (IOException e) {
                    failures.add(e.getMessage());
                }
                assertThat(checkpoints.lastCheckpoint()).isEmpty();
                assertThat(run.restartValue("failure")).isEqualTo("0");
                checkpoints.checkpoint(2, level);
                checkpoints.await();
                data.set(3, comm.rank());
                checkpoints.recover();
                data.require(2, comm.rank());
            }
            return failures;
        });
        assertThat(told)
                .allMatch(failures -> failures.size() == 1 && failures.get(0).contains("ENOSPC"));
    }

    private static Checkpoints open(RunFixture run, Communicator comm, StorageEngine storage) throws IOException {
        return Checkpoints.builder(run.config())
                .communicator(comm)
                .storage(storage)
                .open();
    }

    private RunFixture withHeads(Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(HeadsTest.heads());
        all.putAll(changes);
        return make(all);
    }

    /** Files carry the rank with heads, metadata the place on the node. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "L4_DCP")
    void aNodeIsLostAndComesBack(Level level) throws IOException {
        aNodeIsLost(withHeads(Map.of()), level, "");
    }

    /** The same when the heads do the work; they leave copies of level 4 on the nodes, where C FTI leaves them. */
    @Tag("exhaustive")
    @ParameterizedTest
    @EnumSource(names = {"L2", "L3", "L4"})
    void aNodeIsLostAfterItsHeadHasFinished(Level level) throws IOException {
        aNodeIsLost(withHeads(HeadsTest.asynchronous()), level, level == Level.L4 ? copiesOfHeads() : "");
    }

    private void aNodeIsLost(RunFixture run, Level level, String copies) throws IOException {
        run.run(HeadsTest.RANKS, (checkpoints, comm) -> take(checkpoints, comm, 7, level));
        requireFilesOfTheApplication(run, level, copies);
        if (level != Level.L1) {
            run.loseNode(1);
        }
        RunReport report = RunSurvey.open(run.config(), directory).report(true);
        assertThat(report.restart()).get().satisfies(found -> {
            assertThat(found.level()).isEqualTo(level);
            assertThat(found.sources().keySet()).containsExactlyElementsOf(HeadsTest.APPLICATION);
        });
        run.run(HeadsTest.RANKS, (checkpoints, comm) -> recover(checkpoints, comm, 7, level));
    }

    private void requireFilesOfTheApplication(RunFixture run, Level level, String copies) throws IOException {
        int ranks = HeadsTest.APPLICATION.size();
        assertThat(run.files().stream().filter(file -> file.contains("/" + copies + "/Ckpt")))
                .hasSize(copies.isEmpty() ? 0 : ranks);
        List<String> expected = new ArrayList<>();
        for (int rank : level == Level.L4 && hasSharedFile() ? List.<Integer>of() : HeadsTest.APPLICATION) {
            String root = level == Level.L4 ? "Global" : "Local/node" + rank / 3;
            expected.add(root + "/X/l" + level.number() + "/Ckpt7-Rank" + rank + suffix());
        }
        assertThat(run.files())
                .filteredOn(file -> file.contains("-Rank") && (copies.isEmpty() || !file.contains(copies)))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(run.files().stream().filter(file -> file.contains("sector")).map(file -> file.replaceAll(".*/", "")))
                .containsExactlyElementsOf(
                        this instanceof SeparateMetadataContract
                                ? List.of(
                                        "sector0-group1.fti",
                                        "sector0-group2.fti",
                                        "sector1-group1.fti",
                                        "sector1-group2.fti")
                                : List.of());
    }

    private boolean hasSharedFile() {
        return this instanceof SharedFileContract;
    }

    /** C FTI: only a warning, and failure = 1 before there is a checkpoint. */
    @ParameterizedTest
    @EnumSource(names = {"L2", "L3", "L4"})
    void whatFailsAtAHeadIsToldToAllRanks(Level level) throws IOException {
        RunFixture run = withHeads(HeadsTest.asynchronous());
        List<List<String>> told = ThreadCommunicator.call(HeadsTest.RANKS, comm -> {
            List<String> failures = new ArrayList<>();
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            if (comm.rank() == 3) {
                storage.fail(Operation.SYNC, 1, "ENOSPC");
            }
            try (Checkpoints checkpoints = open(run, comm, storage)) {
                if (!checkpoints.isHead()) {
                    take(checkpoints, comm, 1, level);
                    try {
                        take(checkpoints, comm, 2, level);
                    } catch (IOException e) {
                        failures.add(e.getMessage());
                    }
                    assertThat(checkpoints.lastCheckpoint()).isEmpty();
                    assertThat(run.restartValue("failure")).isEqualTo("0");
                    take(checkpoints, comm, 3, level);
                }
            }
            return failures;
        });
        for (int rank = 0; rank < HeadsTest.RANKS; rank++) {
            assertThat(told.get(rank)).hasSize(HeadsTest.APPLICATION.contains(rank) ? 1 : 0);
            assertThat(told.get(rank)).allMatch(text -> text.contains("ENOSPC"));
        }
        run.run(HeadsTest.RANKS, (checkpoints, comm) -> recover(checkpoints, comm, 3, level));
    }

    /** Each node's first rank would be a head now, and its data would be lost. */
    @ParameterizedTest
    @EnumSource(names = {"L1", "L4"})
    void aRunWithoutHeadsIsNotRestartedWithThem(Level level) throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2", "basic.group_size", "1"));
        take(run, 1, level);
        HeadsTest.switchHeadsOn(run);
        assertThatThrownBy(() -> run.run(RANKS, (checkpoints, comm) -> {})).hasMessageContaining("at no level");
    }

    /** The name of the mode that wrote the files is in what the others say; files of bare data are the same in several modes. */
    @ParameterizedTest
    @CsvSource({
        "1, L1", "2, L1", "3, L1", "4, L1", "5, L1",
        "1, L4", "2, L4", "3, L4", "4, L4", "5, L4",
        "4, L2", "5, L2", "1, L3", "2, L3"
    })
    void anotherModeIsRefusedByItsName(int other, Level level) throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2"));
        takeSteps(run, level, 1);
        List<String> files = run.files();
        useMode(run, other);
        if (other == ioMode() || level != Level.L4 && hasBareData(other) && hasBareData(ioMode())) {
            assertThat(restart(run)).containsOnly("1");
            return;
        }
        assertThat(restart(run)).allMatch(outcome -> outcome.contains("at no level") && outcome.contains(nameOfMode()));
        assertThat(run.files()).isEqualTo(files);
        useMode(run, ioMode());
        assertThat(restart(run)).containsOnly("1");
    }

    /** What comes from a node and from its neighbours in these modes; at level 4 they differ. */
    private static boolean hasBareData(int ioMode) {
        return ioMode == 1 || ioMode == 2 || ioMode == 4;
    }

    static void useMode(RunFixture run, int ioMode) throws IOException {
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("(?m)^(ckpt_io\\s*=).*", "$1 " + ioMode));
    }

    /** Each checkpoint has the id of the one before. */
    static void takeSteps(RunFixture run, Level level, int... steps) throws IOException {
        for (int step : steps) {
            run.run(RANKS, (checkpoints, comm) -> {
                int[] values = new int[INTS];
                TwoVariables.protect(checkpoints, values);
                TwoVariables.set(values, step);
                checkpoints.discardRestart();
                checkpoints.checkpoint(7, level);
            });
        }
    }

    static List<String> restart(RunFixture run) {
        return TwoVariables.restart(run, INTS, healthy(RANKS));
    }

    public static List<FaultyEngine> healthy(int ranks) {
        return Stream.generate(() -> new FaultyEngine(new NioEngine(), false))
                .limit(ranks)
                .toList();
    }

    /** The file of level 4 is read once, and so is the copy that is written meanwhile, from which the data are recovered. */
    @Tag("exhaustive")
    @Test
    void aRestartFromLevel4ReadsOnceAndLeavesACopy() throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2", "basic.group_size", "1"));
        run.run(PAIR, (checkpoints, comm) -> {
            protectAll(checkpoints, large(comm));
            checkpoints.checkpoint(1, Level.L4);
        });
        List<FaultyEngine> engines = healthy(PAIR);
        requireLarge(run, engines);
        long bytes = Arrays.stream(LARGE).sum();
        for (FaultyEngine engine : engines) {
            assertThat(engine.bytesRead(directory.resolve("Global"))).isBetween(bytes, bytes + FEW);
            assertThat(engine.bytesRead(directory.resolve("Local"))).isBetween(bytes, bytes + FEW);
        }
        assertThat(run.files()).noneMatch(file -> file.contains("drumlin-incremental"));
        // From the copy alone.
        DirectoryTree.delete(directory.resolve("Global"), new NioEngine());
        Files.createDirectory(directory.resolve("Global"));
        requireLarge(run, healthy(PAIR));
    }

    private static void requireLarge(RunFixture run, List<FaultyEngine> engines) throws IOException {
        ThreadCommunicator.run(PAIR, comm -> {
            try (Checkpoints checkpoints = open(run, comm, engines.get(comm.rank()))) {
                List<byte[]> values = Arrays.stream(LARGE).mapToObj(byte[]::new).toList();
                protectAll(checkpoints, values);
                checkpoints.recover();
                assertThat(values).usingElementComparator(Arrays::compare).isEqualTo(large(comm));
            }
        });
    }

    private static void protectAll(Checkpoints checkpoints, List<byte[]> values) {
        for (int id = 0; id < values.size(); id++) {
            checkpoints.protect(id, values.get(id));
        }
    }

    private static List<byte[]> large(Communicator comm) {
        Random random = new Random(comm.rank());
        List<byte[]> values = Arrays.stream(LARGE).mapToObj(byte[]::new).toList();
        values.forEach(random::nextBytes);
        return values;
    }

    @ParameterizedTest
    @EnumSource(names = {"L1", "L2", "L3"})
    void anErrorThatMayPassLosesNothing(Level level) throws IOException {
        tryFaults(level, 20);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(names = {"L1", "L2", "L3"})
    void noErrorThatMayPassLosesAnything(Level level) throws IOException {
        tryFaults(level, 1);
    }

    /** A restart goes on from the newer one or fails with words; and when the error has passed, the next finds the newer one. */
    private void tryFaults(Level level, int stride) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        RunFixture none = olderAndNewer("none", level, "2");
        List<FaultyEngine> engines = healthy(PAIR);
        List<Map<Operation, Integer>> before = FaultPoint.counts(engines);
        TwoVariables.restart(none, INTS, engines);
        for (FaultPoint point : FaultPoint.sample(before, FaultPoint.counts(engines), stride, random)) {
            String errno = point.operation() == Operation.OPEN && random.nextBoolean() ? "EMFILE" : "EIO";
            // It passes before the next attempt; after the attempts, so that an older one could be read; or not at all.
            int times = List.of(1, 6, 300).get(random.nextInt(3));
            String name = point.operation() + "-" + point.rank() + "-" + point.nth() + "-" + errno + "-" + times;
            RunFixture run = olderAndNewer(name, level, "2");
            List<FaultyEngine> faulty = healthy(PAIR);
            for (int i = 0; i < times; i++) {
                faulty.get(point.rank()).fail(point.operation(), point.nth() + i, errno);
            }
            List<String> outcomes = TwoVariables.restart(run, INTS, faulty);
            assertThat(outcomes).as(name).allMatch(outcome -> outcome.contains("failed") || outcome.equals("" + NEWER));
            assertThat(TwoVariables.restart(run, INTS, healthy(PAIR)))
                    .as("%s after %s", name, outcomes)
                    .containsOnly("" + NEWER);
            DirectoryTree.delete(run.directory(), new NioEngine());
        }
    }

    /** The disk of a node is not mounted at one start, and is at the next. */
    @ParameterizedTest
    @CsvSource({"node1, 2", "node0, 1", "node0, 2"})
    void theNewerOneIsThereUntilAnotherIs(String node, String groupSize) throws IOException {
        RunFixture run = olderAndNewer("disk", Level.L1, groupSize);
        Path disk = run.directory().resolve("Local").resolve(node);
        Path away = run.directory().resolve("away");
        Files.move(disk, away);
        assertThat(TwoVariables.restart(run, INTS, healthy(PAIR))).containsOnly("" + OLDER);
        DirectoryTree.delete(disk, new NioEngine());
        Files.move(away, disk);
        assertThat(TwoVariables.restart(run, INTS, healthy(PAIR))).containsOnly("" + NEWER);
    }

    /** Of all primitives, before and after the opening; and what is a part of a chunk with others next to it. */
    @ParameterizedTest
    @EnumSource(names = {"L1", "L4"})
    void rectangularArraysComeBack(Level level) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            List<Object> arrays = filledArrays(seed + comm.rank());
            protect(checkpoints, arrays);
            checkpoints.checkpoint(1, level);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            List<Object> expected = filledArrays(seed + comm.rank());
            List<Object> arrays = expected.stream().map(NestedArrays::zeros).toList();
            protect(checkpoints, arrays);
            checkpoints.recover();
            assertThat(arrays)
                    .as("seed " + seed)
                    .usingElementComparator((one, other) -> deepEquals(one, other) ? 0 : 1)
                    .isEqualTo(expected);
        });
    }

    private static boolean deepEquals(Object one, Object other) {
        return Arrays.deepEquals(new Object[] {one}, new Object[] {other});
    }

    private static List<Object> filledArrays(long seed) {
        Random random = new Random(seed);
        List<Object> arrays = NestedArrays.rectangular(random);
        arrays.forEach(array -> NestedArrays.fill(array, random));
        return arrays;
    }

    private static void protect(Checkpoints checkpoints, List<Object> arrays) {
        for (int id = 0; id < arrays.size(); id++) {
            checkpoints.protect(id, arrays.get(id));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotProtectedAnyMoreIsInNoLaterCheckpoint(Level level) throws IOException {
        RunFixture run = make(Map.of("basic.enable_dcp", "1", "basic.dcp_block_size", "512"));
        int[] first = {1, 2};
        int[] second = {3};
        run.run(RANKS, (checkpoints, comm) -> {
            byte[] large = new byte[100_000];
            checkpoints.protect(0, first);
            checkpoints.protect(1, large);
            checkpoints.protect(2, second);
            checkpoints.checkpoint(1, level);
            checkpoints.unprotect(1);
            assertThat(((FtiCheckpoints) checkpoints).protectedBytes()).isEqualTo(12);
            assertThatThrownBy(checkpoints::recover).hasMessageContaining("2 variables are protected and 3 are stored");
            checkpoints.recover(2);
            checkpoints.checkpoint(2, level);
            assertThat(checkpoints.storedSize(1)).isZero();
            checkpoints.recover();
            assertThatThrownBy(() -> checkpoints.unprotect(1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("variable 1 is not protected");
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(2);
            assertThat(checkpoints.storedSize(1)).isZero();
            int[] values = new int[2];
            int[] more = new int[1];
            checkpoints.protect(0, values);
            checkpoints.protect(2, more);
            checkpoints.recover();
            assertThat(values).isEqualTo(first);
            assertThat(more).isEqualTo(second);
            // And back again, as a new one.
            checkpoints.protect(1, new byte[] {8});
            checkpoints.checkpoint(3, level);
            assertThat(checkpoints.storedSize(1)).isOne();
        });
    }

    /** Nobody else gets its id, in this run and in a restarted one. */
    @Test
    void aNameKeepsItsIdWhenItIsNotProtectedAnyMore() throws IOException {
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            for (String name : List.of("a", "b", "c")) {
                checkpoints.protect(((FtiCheckpoints) checkpoints).idFor(name), new int[1]);
            }
            checkpoints.unprotect(1);
            checkpoints.checkpoint(1, Level.L1);
            assertThat(((FtiCheckpoints) checkpoints).idFor("d")).isEqualTo(3);
            assertThat(((FtiCheckpoints) checkpoints).idFor("b")).isEqualTo(1);
            checkpoints.protect(1, new int[2]);
            checkpoints.unprotect(0);
            checkpoints.checkpoint(2, Level.L1);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            if (ioMode() == 3) {
                // No names are stored: in the same order.
                ((FtiCheckpoints) checkpoints).idFor("a");
                checkpoints.unprotect(0);
            }
            assertThat(((FtiCheckpoints) checkpoints).idFor("b")).isEqualTo(1);
            assertThat(((FtiCheckpoints) checkpoints).idFor("c")).isEqualTo(2);
            assertThat(((FtiCheckpoints) checkpoints).idFor("d")).isEqualTo(3);
            assertThat(((FtiCheckpoints) checkpoints).idFor("e")).isEqualTo(4);
        });
    }

    /** With the stored lengths, and in the running job with those that they have. */
    @ParameterizedTest
    @CsvSource({"L1, 0", "L4, 0", "L1, 1"})
    void raggedArraysComeBack(Level level, String async) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        RunFixture run = make(Map.of("drumlin.async", async));
        run.run(RANKS, (checkpoints, comm) -> {
            List<Object[]> arrays = filledRaggedArrays(seed + comm.rank());
            for (int id = 0; id < arrays.size(); id++) {
                checkpoints.protectRagged(id, arrays.get(id));
            }
            checkpoints.checkpoint(1, level);
            checkpoints.await();
            arrays.forEach(array -> NestedArrays.fill(array, new Random(1)));
            checkpoints.recover();
            requireSame(arrays, seed + comm.rank());
        });
        run.run(RANKS, (checkpoints, comm) -> {
            List<Object[]> arrays = new ArrayList<>();
            for (Object[] each : filledRaggedArrays(seed + comm.rank())) {
                arrays.add(checkpoints.reallocateRagged(arrays.size(), Arrays.copyOf(each, 0)));
            }
            checkpoints.recover();
            requireSame(arrays, seed + comm.rank());
        });
    }

    private static void requireSame(List<Object[]> arrays, long seed) {
        List<Object[]> expected = filledRaggedArrays(seed);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(Arrays.deepEquals(arrays.get(i), expected.get(i)))
                    .as("array %d, seed %d", i, seed)
                    .isTrue();
        }
    }

    private static List<Object[]> filledRaggedArrays(long seed) {
        Random random = new Random(seed);
        List<Object[]> arrays = NestedArrays.ragged(random);
        arrays.forEach(array -> NestedArrays.fill(array, random));
        return arrays;
    }

    /** The bytes are as many. */
    @Test
    void aRaggedArrayIsNotRecoveredIntoOneOfOtherLengths() throws IOException {
        RunFixture run = make(Map.of());
        long[][] stored = {{1, 2}, {}, {3}};
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protectRagged(0, stored);
            checkpoints.protect(1, new byte[32 + 7 * Long.BYTES]);
            checkpoints.checkpoint(1, Level.L1);
            assertThat(checkpoints.storedSize(0)).isEqualTo(32 + 7 * Long.BYTES);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protectRagged(0, new long[][] {{1}, {}, {3, 4}});
            checkpoints.protectRagged(1, new long[][] {{1}, {}, {3, 4}});
            assertThatThrownBy(() -> checkpoints.recover(0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the stored lengths are not those of the protected long[][]");
            assertThatThrownBy(() -> checkpoints.recover(1)).hasMessageContaining("the stored lengths are not those");
            assertThatThrownBy(checkpoints::recover).hasMessageContaining("the stored lengths are not those");
            assertThatThrownBy(() -> checkpoints.reallocateRagged(0, new long[0][][]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not those of a long[][][]");
            assertThatThrownBy(() -> checkpoints.reallocateRagged(0, new int[0][]))
                    .hasMessageContaining("of 6 elements");
            assertThatThrownBy(() -> checkpoints.reallocateRagged(1, new int[0][]))
                    .hasMessageContaining("without lengths");
            assertThatThrownBy(() -> checkpoints.reallocateRagged(2, new int[0][]))
                    .hasMessageContaining("not in the last");
            assertThatThrownBy(() -> checkpoints.distribute(0, Distribution.contiguous()))
                    .hasMessageContaining("is a ragged array");
            assertThat(checkpoints.reallocateRagged(0, new long[0][])).isDeepEqualTo(new long[][] {{0, 0}, {}, {0}});
        });
    }

    @Test
    void objectsComeBack() throws IOException {
        objectsComeBack(Level.L1, "0");
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"L2, 0", "L3, 0", "L4, 0", "L4_DCP, 0", "L1, 1", "L4, 1"})
    void objectsComeBackFromAllLevels(Level level, String async) throws IOException {
        objectsComeBack(level, async);
    }

    /** Of another size in each checkpoint, in the running job, after a restart with a lost node, and named before it. */
    private void objectsComeBack(Level level, String async) throws IOException {
        RunFixture run = make(Map.of("drumlin.async", async, "basic.enable_dcp", "1", "basic.dcp_block_size", "512"));
        int[] most = {30, 400, 0, 20};
        run.run(RANKS, (checkpoints, comm) -> {
            Agents agents = new Agents(checkpoints);
            for (int i = 0; i < most.length; i++) {
                agents.set(i, comm.rank(), most[i]);
                checkpoints.checkpoint(1 + i, level);
                checkpoints.await();
                agents.set(99, comm.rank(), 5);
                checkpoints.recover();
                agents.requireSame(new Agents().set(i, comm.rank(), most[i]));
                agents.set(98, comm.rank(), 50);
                checkpoints.recover(7);
                assertThat(agents.all).hasSameSizeAs(new Agents().set(i, comm.rank(), most[i]).all);
            }
            agents.set(7, comm.rank(), 40);
            checkpoints.checkpoint(9, level);
        });
        if (level == Level.L2 || level == Level.L3) {
            run.loseNode(1);
        }
        run.run(RANKS, (checkpoints, comm) -> {
            Agents agents = new Agents(checkpoints);
            checkpoints.recover();
            agents.requireSame(new Agents().set(7, comm.rank(), 40));
            agents.set(8, comm.rank(), 80);
            checkpoints.checkpoint(10, level);
        });
        ThreadCommunicator.run(RANKS, comm -> {
            Agents agents = new Agents();
            try (Checkpoints checkpoints = agents.protect(
                            Checkpoints.builder(run.config()).communicator(comm))
                    .open()) {
                checkpoints.recover();
                agents.requireSame(new Agents().set(8, comm.rank(), 80));
            }
        });
    }

    @Tag("exhaustive")
    @Test
    void objectsComeOneByOne() throws IOException {
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            Agents agents = new Agents(checkpoints);
            for (int i = 0; i < 3; i++) {
                agents.set(i, comm.rank(), 300 / (i + 1));
                try (IncrementalCheckpoint checkpoint = checkpoints.incremental(1 + i, Level.L1)) {
                    checkpoint.add(3);
                    agents.all.clear();
                    checkpoint.add(5);
                    checkpoint.add(7);
                    checkpoint.commit();
                }
                checkpoints.recover();
                agents.requireSame(new Agents().set(i, comm.rank(), 300 / (i + 1)));
            }
        });
    }

    /** And the checkpoint before is the one that comes back. */
    @Test
    void anObjectThatCannotBeStoredFailsTheCheckpointOnAllRanks() throws IOException {
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            Agents agents = new Agents(checkpoints);
            agents.set(1, comm.rank(), 20);
            checkpoints.checkpoint(1, Level.L1);
            if (comm.rank() == 2) {
                agents.all = null;
            }
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("encoding variable 7")
                    .hasMessageContaining("the supplier has returned null");
            checkpoints.recover();
            agents.requireSame(new Agents().set(1, comm.rank(), 20));
            checkpoints.checkpoint(2, Level.L1);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            Agents agents = new Agents(checkpoints);
            checkpoints.protect(7, () -> 1, number -> {}, Codec.of(Integer.class));
            assertThatThrownBy(checkpoints::recover)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("recovery of variable 7")
                    .hasMessageContaining("the object is stored as list<record{id:long,name:string?,")
                    .hasMessageContaining("and is int in this program");
            assertThatThrownBy(() -> checkpoints.distribute(7, Distribution.contiguous()))
                    .hasMessageContaining("is an object");
            assertThat(agents.all).isEmpty();
        });
    }

    /** Kotlin and Scala throw them from what Java calls a Supplier or a Function. */
    @ParameterizedTest
    @ValueSource(strings = {"supplier", "encoder"})
    void anExceptionThatJavaWouldHaveCheckedFailsTheCheckpointOnAllRanks(String where) throws IOException {
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            Set<String> failing = new HashSet<>();
            List<String> recovered = new ArrayList<>();
            checkpoints.protect(
                    7,
                    () -> passing("supplier", "text", failing),
                    recovered::add,
                    Codec.of(String.class)
                            .as(text -> passing("decoder", text, failing), text -> passing("encoder", text, failing)));
            checkpoints.checkpoint(1, Level.L1);
            if (comm.rank() == 2) {
                failing.addAll(Set.of(where, "decoder"));
            }
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("encoding variable 7")
                    .hasMessageContaining("the " + where + " lost its connection");
            if (comm.rank() == 2) {
                assertThatThrownBy(checkpoints::recover)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("recovery of variable 7")
                        .hasMessageContaining("the decoder lost its connection");
            }
            failing.clear();
            checkpoints.checkpoint(2, Level.L1);
            checkpoints.recover();
            assertThat(recovered).containsExactly("text");
        });
    }

    private static String passing(String where, String text, Set<String> failing) {
        if (failing.contains(where)) {
            throw unchecked(new TimeoutException("the " + where + " lost its connection"));
        }
        return text;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> RuntimeException unchecked(Throwable checked) throws X {
        throw (X) checked;
    }

    /** As C has it in one piece of memory. */
    @Test
    void aMatrixIsAnArrayOfC() throws IOException {
        RunFixture run = make(Map.of());
        double[][] matrix = {{1, 2, 3}, {4, 5, 6}};
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, matrix);
            checkpoints.protect(1, new double[] {7, 8, 9, 10, 11, 12});
            checkpoints.checkpoint(1, Level.L1);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            double[] values = new double[6];
            double[][] columns = new double[3][2];
            checkpoints.protect(0, values);
            checkpoints.protect(1, columns);
            checkpoints.recover();
            assertThat(values).containsExactly(1, 2, 3, 4, 5, 6);
            assertThat(columns).isDeepEqualTo(new double[][] {{7, 8}, {9, 10}, {11, 12}});
        });
    }

    /** A solver puts a new row in the place of the old one. */
    @Test
    void theRowsOfAMatrixAreThoseOfTheMoment() throws IOException {
        RunFixture run = make(Map.of());
        run.run(RANKS, (checkpoints, comm) -> {
            int[][] matrix = new int[3][2];
            checkpoints.protect(0, matrix);
            matrix[1] = new int[] {5, 6};
            checkpoints.checkpoint(1, Level.L1);
            int[] row = matrix[1];
            matrix[1] = new int[2];
            checkpoints.recover();
            assertThat(matrix).isDeepEqualTo(new int[][] {{0, 0}, {5, 6}, {0, 0}});
            assertThat(row).isNotSameAs(matrix[1]);
        });
    }

    @ParameterizedTest
    @CsvSource({"0, L1", "1, L1", "0, L4"})
    void aRowOfAnotherLengthFailsTheCheckpointOnAllRanks(String async, Level level) throws IOException {
        RunFixture run = make(Map.of("drumlin.async", async));
        run.run(RANKS, (checkpoints, comm) -> {
            int[][] matrix = new int[3][2];
            checkpoints.protect(0, matrix);
            checkpoints.checkpoint(1, level);
            matrix[1] = comm.rank() == 2 ? new int[3] : matrix[1];
            assertThatThrownBy(() -> checkpoints.checkpoint(2, level))
                    .hasMessageContaining(
                            "a protected int[][] has changed: an array in it is of length 3 and was of length 2");
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            matrix[1] = new int[2];
            checkpoints.checkpoint(3, level);
            checkpoints.await();
        });
    }

    @Test
    void aMatrixIsReallocated() throws IOException {
        RunFixture run = make(Map.of());
        float[][] matrix = {{1, 2, 3}, {4, 5, 6}};
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, matrix);
            checkpoints.checkpoint(1, Level.L1);
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThatThrownBy(() -> checkpoints.reallocate(0, new float[1][][]))
                    .hasMessageContaining("null");
            if (ioMode() == 3) {
                assertThatThrownBy(() -> checkpoints.reallocate(0, new float[0][0]))
                        .hasMessageContaining("24 bytes");
                assertThatThrownBy(() -> checkpoints.reallocate(0, new float[1][4]))
                        .hasMessageContaining("24 bytes");
            } else {
                assertThat(checkpoints.reallocate(0, new float[0][0])).isDeepEqualTo(new float[2][3]);
            }
            float[][] found = checkpoints.reallocate(0, new float[1][3]);
            checkpoints.recover();
            assertThat(found).isDeepEqualTo(matrix);
        });
    }

    private RunFixture olderAndNewer(String name, Level level, String groupSize) throws IOException {
        Map<String, String> changes = new HashMap<>(mode());
        changes.put("basic.node_size", "1");
        changes.put("basic.group_size", groupSize);
        RunFixture run = new RunFixture(Files.createDirectories(directory.resolve(name)), changes);
        takeOlderAndNewer(run, level);
        return run;
    }

    /** On two ranks: one of level 4 and then another. */
    public static void takeOlderAndNewer(RunFixture run, Level level) throws IOException {
        run.run(PAIR, (checkpoints, comm) -> {
            int[] values = new int[INTS];
            TwoVariables.protect(checkpoints, values);
            TwoVariables.set(values, OLDER);
            checkpoints.checkpoint(OLDER, Level.L4);
            TwoVariables.set(values, NEWER);
            checkpoints.checkpoint(NEWER, level);
        });
    }

    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#ordinary")
    void aWrongBitIsNotRecovered(Restart each, @TempDir(factory = InMemory.class) Path memory) throws IOException {
        new WrongReads(memory, ioMode(), each).someReads();
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#ordinary")
    void noWrongBitIsRecovered(Restart each, @TempDir(factory = InMemory.class) Path memory) throws IOException {
        new WrongReads(memory, ioMode(), each).everyRead();
    }

    /** A program makes its arrays by the sizes that it is told, before it recovers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noWrongBitIsInTheSizesThatAreTold(boolean early) throws IOException {
        WrongReads.requireRightSizes(make(Map.of("basic.group_size", "1")), early, 2);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noWrongBitIsInAnySize(boolean early) throws IOException {
        WrongReads.requireRightSizes(make(Map.of("basic.group_size", "1")), early, 20);
    }

    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#ordinary")
    void aFileThatIsWrittenAfterTheOpeningIsNotRecovered(Restart each, @TempDir(factory = InMemory.class) Path memory)
            throws IOException {
        new WrongReads(memory, ioMode(), each).written(4);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#others")
    void aWrongBitIsNotRecoveredByOtherWays(Restart each, @TempDir(factory = InMemory.class) Path memory)
            throws IOException {
        new WrongReads(memory, ioMode(), each).everyRead();
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#others")
    void aFileThatIsWrittenAfterTheOpeningIsNotRecoveredByOtherWays(
            Restart each, @TempDir(factory = InMemory.class) Path memory) throws IOException {
        new WrongReads(memory, ioMode(), each).written(10);
    }
}
