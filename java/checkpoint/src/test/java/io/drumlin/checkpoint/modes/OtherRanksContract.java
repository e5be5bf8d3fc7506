package io.drumlin.checkpoint.modes;

import static io.drumlin.checkpoint.fixture.DistributedState.goOn;
import static io.drumlin.checkpoint.fixture.DistributedState.recover;
import static io.drumlin.checkpoint.fixture.DistributedState.setNodeSize;
import static io.drumlin.checkpoint.fixture.DistributedState.start;
import static io.drumlin.checkpoint.fixture.DistributedState.store;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.DistributedState;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.Tamper;
import io.drumlin.checkpoint.heads.HeadsTest;
import io.drumlin.checkpoint.modes.WrongReads.Restart;
import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the modes promise of a restart on another number of ranks than took the checkpoint. */
interface OtherRanksContract {

    /** See {@link IoModeContract}. */
    RunFixture make(Map<String, String> changes) throws IOException;

    /** See {@link IoModeContract}. */
    int ioMode();

    /** See {@link IoModeContract}. */
    Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException;

    /** See {@link IoModeContract}. */
    int placeOfData(Path file) throws IOException;

    /** Groups of one rank go with any number of them. */
    Map<String, String> WITHOUT_GROUPS = Map.of("basic.group_size", "1");

    @Test
    default void fourRanksThenSixThenThree() throws IOException {
        RunFixture run = make(WITHOUT_GROUPS);
        goOn(run, 4, 0, 0, 2, Level.L1, Level.L4);
        goOn(run, 6, 2, 4, 4, Level.L4, Level.L1);
        // Not the newest, which is of use to six ranks only.
        goOn(run, 3, 3, 6, 5, Level.L1, Level.L4);
        goOn(run, 3, 5, 3, 6, Level.L1);
        goOn(run, 3, 6, 3, 6);
        goOn(run, 1, 5, 3, 6, Level.L4);
        // More than there are rows.
        goOn(run, 13, 6, 1, 7, Level.L4);
        goOn(run, 13, 7, 13, 7);
    }

    /** All levels of the present number of ranks, then back to a number whose old files lie on the nodes. */
    @Test
    @Tag("exhaustive")
    default void checkpointsOfTheFormerRunAreNeverMixedWithThoseOfThisOne() throws IOException {
        RunFixture run = make(Map.of());
        goOn(run, 4, 0, 0, 3, Level.L4, Level.L3, Level.L2);
        goOn(run, 2, 1, 4, 2, Level.L1);
        goOn(run, 2, 2, 2, 3, Level.L2);
        run.loseNode(1);
        goOn(run, 2, 3, 2, 3);
        goOn(run, 4, 1, 4, 2, Level.L3);
        run.loseNode(2);
        goOn(run, 4, 2, 4, 3, Level.L4);
        goOn(run, 6, 3, 4, 3);
    }

    /** The same number of nodes, of other sizes. */
    @Test
    @Tag("exhaustive")
    default void nodesMayHaveAnotherNumberOfRanks() throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2", "basic.group_size", "1"));
        goOn(run, 4, 0, 0, 2, Level.L4, Level.L1);
        setNodeSize(run, 1);
        goOn(run, 2, 1, 4, 2, Level.L1);
        goOn(run, 2, 2, 2, 3, Level.L4);
        setNodeSize(run, 3);
        goOn(run, 6, 3, 2, 4, Level.L1);
        goOn(run, 6, 4, 6, 4);
    }

    @Test
    @Tag("exhaustive")
    default void headsHaveNoData() throws IOException {
        RunFixture run = make(
                Map.of("basic.head", "1", "basic.node_size", "3", "basic.group_size", "1", "basic.inline_l4", "0"));
        start(run, 6, (checkpoints, comm) -> {
            DistributedState state = new DistributedState(comm.rank(), comm.size());
            state.protect(checkpoints);
            state.fill(1, false);
            checkpoints.checkpoint(1, Level.L4);
        });
        start(run, 9, (checkpoints, comm) -> {
            assertThat(checkpoints.formerRanks()).hasValue(4);
            DistributedState state = new DistributedState(comm.rank(), comm.size());
            state.protect(checkpoints);
            state.distribute(checkpoints);
            checkpoints.recover();
            DistributedState expected = new DistributedState(comm.rank(), comm.size());
            expected.fill(1, true);
            state.requireEqual(expected);
            state.fill(2, false);
            checkpoints.checkpoint(2, Level.L4);
        });
        start(run, 9, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .hasValue(2));
    }

    /** As long as the new run has no checkpoint, everything is there for the number of ranks that left it. */
    @Test
    default void nothingChangesUntilThereIsACheckpoint() throws IOException {
        RunFixture run = make(WITHOUT_GROUPS);
        goOn(run, 4, 0, 0, 2, Level.L4, Level.L1);
        Map<String, String> before = contents(run.directory());
        goOn(run, 6, 1, 4, 1);
        goOn(run, 3, 1, 4, 1);
        Map<String, String> after = contents(run.directory());
        after.keySet().removeIf(file -> !before.containsKey(file));
        assertThat(after).isEqualTo(before);
        run.run(4, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .hasValue(2));
    }

    private static Map<String, String> contents(Path directory) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(path -> !path.endsWith("drumlin-starts"))
                    .toList()) {
                contents.put(
                        directory.relativize(file).toString(),
                        Integer.toString(Arrays.hashCode(Files.readAllBytes(file))));
            }
        }
        return contents;
    }

    @Test
    default void damageIsFoundBeforeAnyDataAreUsed() throws IOException {
        RunFixture run = make(WITHOUT_GROUPS);
        goOn(run, 4, 0, 0, 1, Level.L4);
        Path file = lastFileOfLevel4(run, 1);
        Tamper.flip(file, placeOfData(file));
        assertThatThrownBy(() -> start(run, 6, (checkpoints, comm) -> {})).hasMessageContaining("no level");
        Tamper.flip(file, placeOfData(file));
        goOn(run, 6, 1, 4, 1);
    }

    /** What the topology told as long as it was that of the four is in the list once it is that of others. */
    @Test
    default void theNumberThatWroteItStaysKnown() throws IOException {
        RunFixture run = make(WITHOUT_GROUPS);
        store(run, 4, 1, Level.L4);
        start(run, 6, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[comm.rank() < 4 ? 1 : 0]);
            checkpoints.distribute(0, Distribution.contiguous());
            checkpoints.recover();
            checkpoints.checkpoint(2, Level.L1);
        });
        loseNodes(run, 6);
        IniFile list = IniFile.parse(Files.readString(run.file("Checkpoint.fti")), "list");
        assertThat(list.sections()).containsExactly("checkpoint_id.1");
        assertThat(list.get("checkpoint_id.1", "nb_procs")).hasValue("4");
        recover(run, 4, 1);
    }

    /** Variables larger than what is read in one go, in several containers. */
    @Test
    @Tag("exhaustive")
    default void largeVariables() throws IOException {
        int length = 1_700_003;
        RunFixture run = make(WITHOUT_GROUPS);
        run.run(2, (checkpoints, comm) -> {
            checkpoints.protect(0, block(length, comm.rank(), 2));
            checkpoints.protect(1, inTurn(length, comm.rank(), 2));
            checkpoints.checkpoint(1, Level.L4);
        });
        start(run, 3, (checkpoints, comm) -> {
            requireRecovered(checkpoints, 0, Distribution.block(length), block(length, comm.rank(), 3));
            requireRecovered(checkpoints, 1, Distribution.blockCyclic(length, 1), inTurn(length, comm.rank(), 3));
        });
    }

    private static void requireRecovered(Checkpoints checkpoints, int id, Distribution distribution, long[] expected)
            throws IOException {
        long[] found = new long[expected.length];
        checkpoints.protect(id, found);
        checkpoints.distribute(id, distribution);
        checkpoints.recover(id);
        assertThat(found).isEqualTo(expected);
    }

    /** The first ranks have one more where there are not as many for all. */
    private static long[] block(int length, int rank, int ranks) {
        int first = rank * (length / ranks) + Math.min(rank, length % ranks);
        return LongStream.range(0, length / ranks + (rank < length % ranks ? 1 : 0))
                .map(i -> value(first + i))
                .toArray();
    }

    private static long[] inTurn(int length, int rank, int ranks) {
        return LongStream.range(0, length)
                .filter(cell -> cell % ranks == rank)
                .map(OtherRanksContract::value)
                .toArray();
    }

    private static long value(long cell) {
        return cell * 0x9E3779B97F4A7C15L;
    }

    /** What is left looks like the checkpoint of a smaller run. */
    @Test
    default void aMissingFileIsRefused() throws IOException {
        RunFixture run = make(WITHOUT_GROUPS);
        store(run, 4, 1, Level.L4);
        List<Path> files = filesOfTheLastRank(run);
        moveAway(files);
        for (int ranks : new int[] {2, 3}) {
            assertThatThrownBy(() -> start(run, ranks, (checkpoints, comm) -> {}))
                    .hasMessageContaining(files.get(0).getFileName().toString())
                    .hasMessageContaining("of 3 ranks, and 4 ranks wrote");
        }
    }

    /** As many ranks and nodes as this run has had since, without a checkpoint of level 4. */
    @Test
    default void aMissingFileIsRefusedAlsoWhereTheTopologyIsThatOfThisRun() throws IOException {
        RunFixture run = make(WITHOUT_GROUPS);
        store(run, 4, 1, Level.L4);
        store(run, 3, 2, Level.L1);
        loseNodes(run, 4);
        List<Path> files = filesOfTheLastRank(run);
        moveAway(files);
        assertThatThrownBy(() -> start(run, 3, (checkpoints, comm) -> {})).hasMessageContaining("4 ranks wrote");
        for (Path file : files) {
            Files.move(file.resolveSibling("lost"), file);
        }
        recover(run, 4, 1);
    }

    private static void loseNodes(RunFixture run, int nodes) throws IOException {
        for (int node = 0; node < nodes; node++) {
            run.loseNode(node);
        }
    }

    private static void moveAway(List<Path> files) throws IOException {
        for (Path file : files) {
            Files.move(file, file.resolveSibling("lost"));
        }
    }

    /** Of level 4 of four ranks: what is of this rank alone, first what tells of it. */
    private List<Path> filesOfTheLastRank(RunFixture run) throws IOException {
        List<Path> files = new ArrayList<>();
        if (this instanceof SeparateMetadataContract) {
            files.add(SeparateMetadataContract.metadata(run, "l4/sector3-group0.fti"));
        }
        if (!(this instanceof SharedFileContract)) {
            files.add(lastFileOfLevel4(run, 1));
        }
        return files;
    }

    @Test
    default void aRunWithoutHeadsIsOneOfMoreRanks() throws IOException {
        RunFixture run = make(Map.of("basic.node_size", "2", "basic.group_size", "1"));
        run.run(4, (checkpoints, comm) -> {
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(1, Level.L4);
        });
        HeadsTest.switchHeadsOn(run);
        start(run, 4, (checkpoints, comm) -> {
            int[] values = new int[2];
            checkpoints.protect(0, values);
            checkpoints.distribute(0, Distribution.block(4));
            assertThat(checkpoints.formerRanks()).hasValue(4);
            checkpoints.recover();
            int first = 2 * comm.rank();
            assertThat(values).containsExactly(first, first + 1);
        });
    }

    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#ordinaryOnOtherRanks")
    default void aWrongBitIsNotRecoveredOnOtherRanks(Restart each, @TempDir(factory = InMemory.class) Path memory)
            throws IOException {
        new WrongReads(memory, ioMode(), each).someReads();
    }

    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#ordinaryOnOtherRanks")
    default void aFileThatIsWrittenAfterTheOpeningIsNotRecoveredOnOtherRanks(
            Restart each, @TempDir(factory = InMemory.class) Path memory) throws IOException {
        new WrongReads(memory, ioMode(), each).written(4);
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#ordinaryOnOtherRanks")
    default void noWrongBitIsRecoveredOnOtherRanks(Restart each, @TempDir(factory = InMemory.class) Path memory)
            throws IOException {
        new WrongReads(memory, ioMode(), each).everyRead();
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#othersOnOtherRanks")
    default void aWrongBitIsNotRecoveredOnOtherRanksByOtherWays(
            Restart each, @TempDir(factory = InMemory.class) Path memory) throws IOException {
        new WrongReads(memory, ioMode(), each).everyRead();
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("io.drumlin.checkpoint.modes.WrongReads#othersOnOtherRanks")
    default void aFileThatIsWrittenAfterTheOpeningIsNotRecoveredOnOtherRanksByOtherWays(
            Restart each, @TempDir(factory = InMemory.class) Path memory) throws IOException {
        new WrongReads(memory, ioMode(), each).written(10);
    }
}
