package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IncrementalCheckpointTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    private RunFixture run(String ioMode, String... more) throws IOException {
        return new RunFixture(
                directory,
                RunFixture.settings("node_size=2, group_size=2, ckpt_io=" + ioMode, RunFixture.settings(more)));
    }

    /** Small, with an odd size, and of several slabs, so that they share blocks and lanes. */
    private static double[][] variables(int rank, long seed) {
        Random random = new Random(seed + rank);
        double[][] variables = {new double[3 + rank], new double[0], new double[700], new double[300_000 + 7 * rank]};
        for (double[] variable : variables) {
            Arrays.setAll(variable, i -> random.nextDouble());
        }
        return variables;
    }

    private static void protect(Checkpoints checkpoints, double[][] variables) {
        for (int id = 0; id < variables.length; id++) {
            checkpoints.protect(id, variables[id]);
        }
    }

    private static void take(
            Checkpoints checkpoints, int ckptId, Level level, double[][] variables, List<Integer> order)
            throws IOException {
        try (IncrementalCheckpoint checkpoint = checkpoints.incremental(ckptId, level)) {
            for (int id : order) {
                checkpoint.add(id);
                // What was added is in the checkpoint as it was.
                Arrays.fill(variables[id], -1);
            }
            checkpoint.commit();
        }
    }

    private static List<Integer> shuffled(int variables, Random random) {
        List<Integer> order = new ArrayList<>();
        for (int id = 0; id < variables; id++) {
            order.add(id);
        }
        Collections.shuffle(order, random);
        return order;
    }

    @ParameterizedTest
    @CsvSource({
        "1, L1, F",
        "1, L2, F",
        "1, L3, F",
        "1, L4, F",
        "2, L4, F",
        "3, L1, F",
        "3, L2, F",
        "3, L3, F",
        "3, L4, F",
        "4, L4, F",
        "3, L3, E"
    })
    void bringsBackWhatWasAddedAsItWas(String ioMode, Level level, String layout) throws IOException {
        RunFixture run = run(ioMode, "drumlin.layout=" + layout);
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        run.run(RANKS, (checkpoints, comm) -> {
            double[][] variables = variables(comm.rank(), seed);
            protect(checkpoints, variables);
            take(checkpoints, 1, level, variables, shuffled(variables.length, new Random(seed + comm.rank())));
            // Again, now that some variables have outgrown their containers.
            double[][] later = variables(comm.rank(), seed + 1);
            later[0] = new double[900];
            protect(checkpoints, later);
            take(checkpoints, 2, level, later, shuffled(variables.length, new Random(seed - comm.rank())));
        });
        if (level == Level.L2 || level == Level.L3) {
            DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        }
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(2);
            double[][] expected = variables(comm.rank(), seed + 1);
            expected[0] = new double[900];
            double[][] found = new double[expected.length][];
            Arrays.setAll(found, id -> new double[expected[id].length]);
            protect(checkpoints, found);
            checkpoints.recover();
            assertThat(found).isDeepEqualTo(expected);
            checkpoints.complete();
        });
        assertThat(run.files()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void failsOnAllRanksWhereOneAddsTooLittle(String ioMode) throws IOException {
        RunFixture run = run(ioMode);
        run.run(RANKS, (checkpoints, comm) -> {
            double[][] variables = variables(comm.rank(), 5);
            protect(checkpoints, variables);
            checkpoints.checkpoint(1, Level.L1);
            IncrementalCheckpoint checkpoint = checkpoints.incremental(2, Level.L1);
            for (int id = comm.rank() == 2 ? 1 : 0; id < variables.length; id++) {
                checkpoint.add(id);
            }
            assertThatThrownBy(checkpoint::commit)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("variables [0] are protected and were not added");
            assertThatThrownBy(() -> checkpoint.add(0)).isInstanceOf(IllegalStateException.class);
            Arrays.fill(variables[3], 0);
            checkpoints.recover();
            assertThat(variables).isDeepEqualTo(variables(comm.rank(), 5));
            // The run goes on.
            take(checkpoints, 3, Level.L1, variables, List.of(3, 2, 1, 0));
        });
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .contains(3));
    }

    /** A rank that goes on in spite of the failure, as the sample in the documentation does, meets the others. */
    @ParameterizedTest
    @CsvSource({"1, OPEN", "1, WRITE", "3, OPEN", "3, ALLOCATE", "5, WRITE"})
    void failsOnAllRanksWhereOneCannotAdd(String ioMode, Operation operation) throws IOException {
        RunFixture run = run(ioMode);
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine());
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                double[][] variables = variables(comm.rank(), 5);
                protect(checkpoints, variables);
                take(checkpoints, 1, Level.L4, variables, List.of(0, 1, 2, 3));
                protect(checkpoints, variables(comm.rank(), 6));
                assertThatThrownBy(() -> {
                            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(2, Level.L4)) {
                                if (comm.rank() == 2) {
                                    storage.fail(operation, 1, "EIO");
                                }
                                List.of(3, 2, 1, 0).forEach(checkpoint::add);
                                assertThat(checkpoint.failure().isPresent()).isEqualTo(comm.rank() == 2);
                                storage.heal();
                                checkpoint.commit();
                            }
                        })
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("injected");
                double[][] found = variables(comm.rank(), 7);
                protect(checkpoints, found);
                checkpoints.recover();
                assertThat(found).isDeepEqualTo(variables(comm.rank(), 5));
                // The run goes on.
                take(checkpoints, 3, Level.L4, found, List.of(3, 2, 1, 0));
            }
        });
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .contains(3));
    }

    @Test
    void thereAreNoneInLayoutA() throws IOException {
        run("3", "drumlin.layout=A").run(RANKS, (checkpoints, comm) -> {
            assertThatThrownBy(() -> checkpoints.incremental(1, Level.L1)).isInstanceOf(IllegalArgumentException.class);
        });
    }

    @Test
    void refusesWhatIsAddedTwiceOrNotProtected() throws IOException {
        run("3", "node_size=1, group_size=1").run(1, (checkpoints, comm) -> {
            checkpoints.protect(1, new int[10]);
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(1, Level.L1)) {
                checkpoint.add(1);
                assertThatThrownBy(() -> checkpoint.add(1)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> checkpoint.add(2)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> checkpoints.incremental(2, Level.L1))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).isInstanceOf(IllegalStateException.class);
                checkpoint.commit();
            }
            assertThat(checkpoints.lastCheckpoint()).contains(1);
        });
    }

    @Test
    void aVariableMayGrowBeforeItIsAdded() throws IOException {
        run("3", "drumlin.packing=compact").run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new int[10]);
            checkpoints.protect(2, new int[10]);
            IncrementalCheckpoint checkpoint = checkpoints.incremental(1, Level.L1);
            checkpoint.add(2);
            checkpoints.protect(1, new int[20]);
            checkpoint.add(1);
            checkpoint.commit();
            assertThat(checkpoints.storedSize(1)).isEqualTo(80);
        });
    }

    @Test
    void givenUpItLeavesTheOneBefore() throws IOException {
        RunFixture run = run("1");
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = {1, 2, 3};
            checkpoints.protect(0, values);
            checkpoints.checkpoint(1, Level.L4);
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(2, Level.L4)) {
                checkpoint.add(0);
            }
        });
        assertThat(run.files()).noneMatch(file -> file.contains("drumlin"));
        // A kill leaves the file; the next start deletes it.
        Path left = directory
                .resolve("Global")
                .resolve(run.restartValue("exec_id"))
                .resolve("drumlin-incremental-Rank1.fti");
        Files.writeString(left, "half");
        run.run(RANKS, (checkpoints, comm) -> assertThat(checkpoints.lastCheckpoint())
                .contains(1));
        assertThat(left).doesNotExist();
    }
}
