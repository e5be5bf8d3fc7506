package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.FailingMeetings;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each meeting of the ranks in a checkpoint fails once on one rank that has taken part, so that the others know what was agreed on and
 * that one does not: a restart finds the checkpoint before or the new one, whole on all ranks.
 */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class FailedMeetingTest {

    private static final int INTS = 3000;

    @TempDir(factory = InMemory.class)
    Path directory;

    /** Checkpoints, of which the meetings of the last fail. */
    enum Scenario {
        L1_AFTER_L1("3", 2, Level.L1, Level.L1),
        L1_AFTER_L4("1", 2, Level.L4, Level.L1),
        L2_AFTER_L2("3", 2, Level.L2, Level.L2),
        L2_AFTER_L1("1", 2, Level.L1, Level.L2),
        L3_AFTER_L3("1", 2, Level.L3, Level.L3),
        L4_AFTER_L2("3", 2, Level.L2, Level.L4),
        L4_AFTER_L4("1", 2, Level.L4, Level.L4),
        MPI_IO_L4_AFTER_L4("2", 2, Level.L4, Level.L4),
        SION_L4_AFTER_L4("4", 2, Level.L4, Level.L4),
        HDF5_L1_AFTER_L1("5", 2, Level.L1, Level.L1),
        DCP_AFTER_DCP("3", 2, Level.L4_DCP, Level.L4_DCP, Level.L4_DCP),
        LAYER_AFTER_LAYER("1", 2, Level.L4_DCP, Level.L4_DCP),
        HEADS_L2_AFTER_L1("3", 4, Level.L1, Level.L2),
        HEADS_L4_AFTER_L4("1", 4, Level.L4, Level.L4);

        private final int ranks;
        private final List<Level> levels;
        private final Map<String, String> config;

        Scenario(String ioMode, int ranks, Level... levels) {
            this.ranks = ranks;
            this.levels = List.of(levels);
            config = new LinkedHashMap<>(Map.of(
                    "basic.node_size", Integer.toString(ranks / 2), "basic.group_size", "2", "basic.ckpt_io", ioMode));
            config.put("basic.head", ranks == 4 ? "1" : "0");
            config.put("basic.enable_dcp", this.levels.contains(Level.L4_DCP) ? "1" : "0");
            config.put("basic.dcp_mode", "1");
            config.put("basic.dcp_block_size", "512");
            config.put("basic.dcp_stack_size", "2");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theOldOrTheNewOneStaysWhole(Scenario scenario) throws IOException {
        failOneOf(scenario, 3);
    }

    @ParameterizedTest
    @EnumSource
    void theOldOrTheNewOneStaysWholeWhateverMeetingFails(Scenario scenario) throws IOException {
        failOneOf(scenario, 1);
    }

    /** On each rank one of {@code stride} meetings that follow each other. */
    private void failOneOf(Scenario scenario, int stride) throws IOException {
        int first = new Random().nextInt(stride);
        int happened = 0;
        for (int rank = 0; rank < scenario.ranks; rank++) {
            for (int nth = 1 + (first + rank) % stride; fails(scenario, rank, nth); nth += stride) {
                happened++;
            }
        }
        // Each rank has more than three meetings on average, and one of three is tried on each rank.
        assertThat(happened).isGreaterThanOrEqualTo(stride == 1 ? 3 * scenario.ranks : scenario.ranks / 2);
    }

    private boolean fails(Scenario scenario, int rank, int nth) throws IOException {
        String what = scenario + ", meeting " + nth + " of rank " + rank;
        Path folder = Files.createDirectories(directory.resolve(rank + "-" + nth));
        RunFixture run = new RunFixture(folder, scenario.config);
        FailingMeetings failing = new FailingMeetings();
        assertTimeoutPreemptively(
                Duration.ofSeconds(60), () -> take(scenario, run, rank, nth, failing), "hangs: " + what);
        int last = scenario.levels.size();
        assertThat(restored(scenario, run)).as(what).isBetween(failing.happened() ? last - 1 : last, last);
        return failing.happened();
    }

    private static void take(Scenario scenario, RunFixture run, int rank, int nth, FailingMeetings failing) {
        try {
            ThreadCommunicator.run(scenario.ranks, world -> {
                boolean fails = world.rank() == rank;
                Communicator comm = fails ? failing.of(world) : world;
                try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                    int[] values = new int[INTS];
                    if (!checkpoints.isHead()) {
                        checkpoints.protect(0, values);
                        takeAll(scenario, checkpoints, values, isArming(scenario, world, rank), nth, failing);
                    }
                }
            });
        } catch (IOException expected) {
            assertThat(failing.happened()).isTrue();
        }
    }

    /** For a head its node's other rank does it. */
    private static boolean isArming(Scenario scenario, Communicator world, int rank) {
        boolean head = scenario.ranks == 4 && rank % 2 == 0;
        return world.rank() == (head ? rank + 1 : rank);
    }

    private static void takeAll(
            Scenario scenario, Checkpoints checkpoints, int[] values, boolean arms, int nth, FailingMeetings failing)
            throws IOException {
        int last = scenario.levels.size();
        for (int id = 1; id <= last; id++) {
            for (int i = 0; i < INTS; i++) {
                values[i] = id + i;
            }
            if (id == last && arms) {
                failing.arm(nth);
            }
            checkpoints.checkpoint(id, scenario.levels.get(id - 1));
            checkpoints.await();
        }
        failing.arm(0);
    }

    private static int restored(Scenario scenario, RunFixture run) throws IOException {
        Set<Integer> restored = Collections.synchronizedSet(new TreeSet<>());
        run.run(scenario.ranks, (checkpoints, comm) -> {
            int[] values = new int[INTS];
            checkpoints.protect(0, values);
            checkpoints.recover();
            for (int i = 0; i < INTS; i++) {
                assertThat(values[i]).isEqualTo(values[0] + i);
            }
            restored.add(values[0]);
        });
        assertThat(restored).hasSize(1);
        return restored.iterator().next();
    }

    /** All are told that it is not known which checkpoint is in its place, and nobody waits for anybody. */
    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"L1", "L2", "L4"})
    void allRanksOfACommitThatIsNotKnownAreTold(Level level) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> ThreadCommunicator.run(2, world -> {
                    FailingMeetings failing = new FailingMeetings();
                    try (Checkpoints checkpoints = Checkpoints.open(run.config(), failing.of(world))) {
                        int[] values = {1};
                        checkpoints.protect(0, values);
                        checkpoints.checkpoint(1, level);
                        values[0] = 2;
                        world.barrier();
                        if (world.rank() == (level.isGlobal() ? 0 : 1)) {
                            failing.arm(() -> isBeingReplaced(level));
                        }
                        assertThatThrownBy(() -> checkpoints.checkpoint(2, level))
                                .isInstanceOf(MeetingException.class)
                                .hasMessageContaining("both stay on disk")
                                .hasMessageContaining("a restart finds the newest whole checkpoint");
                        assertThatThrownBy(() -> checkpoints.checkpoint(3, level))
                                .isInstanceOf(MeetingException.class)
                                .hasMessageContaining("both stay on disk");
                    }
                }));
        run.run(2, (checkpoints, comm) -> {
            int[] values = {0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(2);
        });
    }

    /** By the rank that fails. */
    private boolean isBeingReplaced(Level level) {
        Path root = directory.resolve(level.isGlobal() ? "Global" : "Local/node1");
        try (Stream<Path> files = Files.walk(root)) {
            return files.anyMatch(file -> file.endsWith("drumlin-replaced-l" + level.number()));
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }
}
