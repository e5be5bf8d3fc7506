package io.drumlin.checkpoint.nodes;

import static io.drumlin.checkpoint.nodes.NodeOrderTest.block;
import static io.drumlin.checkpoint.nodes.NodeOrderTest.cyclic;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.ElementType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.SingleFile;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes come back in another order, and each rank has its own data, in whatever way these were written and are read: behind the
 * computation, variable by variable, into variables that are named before the run is opened, in one file of all ranks.
 */
@Tag("exhaustive")
class RankOrderTest {

    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

    /** Of a file of all ranks. */
    private static final int ELEMENTS = 480;

    /** How a checkpoint is taken. */
    enum Taking {
        BEHIND,
        BY_VARIABLE,
        BY_VARIABLE_BEHIND
    }

    /** How it is recovered. */
    enum Reading {
        ALL,
        BY_VARIABLE,
        EARLY
    }

    @TempDir(factory = InMemory.class)
    Path directory;

    private final Random random = new Random();
    private final long seed = random.nextLong();

    RankOrderTest() {
        random.setSeed(seed);
        System.out.println("RankOrderTest: seed " + seed);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "1, 3", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4", "4, 4", "5, 2"})
    void someWays(String ioMode, int level) throws IOException {
        new Life(ioMode, level, one(Taking.values()), one(Reading.values())).live();
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, 1", "1, 2", "1, 3", "1, 4", "2, 1", "2, 2", "2, 3", "2, 4", "3, 1", "3, 2", "3, 3", "3, 4", "4, 1", "4, 2",
        "4, 3", "4, 4", "5, 1", "5, 2", "5, 3", "5, 4"
    })
    void everyWay(String ioMode, int level) throws IOException {
        for (Taking taking : Taking.values()) {
            for (Reading reading : Reading.values()) {
                new Life(ioMode, level, taking, reading).live();
                new Life(ioMode, level, taking, reading).live();
            }
        }
    }

    private <T> T one(T[] of) {
        return of[random.nextInt(of.length)];
    }

    /** A run that is started four times, each time with its nodes in another order. */
    private final class Life {
        private final RunFixture run;
        private final Level level;
        private final Taking taking;
        private final Reading reading;
        private final String told;
        private final int heads = random.nextInt(3) == 0 ? 1 : 0;
        private final List<String> nodes = new ArrayList<>(NODES);
        private boolean inTurn = random.nextBoolean();

        Life(String ioMode, int level, Taking taking, Reading reading) throws IOException {
            this.level = Level.of(level);
            this.taking = taking;
            this.reading = reading;
            String inline = Integer.toString(random.nextInt(2));
            told = String.format(
                    "seed %d: mode %s, level %d, %s, %s, heads %d, inline %s",
                    seed, ioMode, level, taking, reading, heads, inline);
            Map<String, String> changes = new HashMap<>(
                    Map.of("basic.head", Integer.toString(heads), "basic.node_size", Integer.toString(2 + heads)));
            if (heads > 0) {
                List.of("2", "3", "4").forEach(each -> changes.put("basic.inline_l" + each, inline));
            }
            run = run(ioMode, changes);
        }

        void live() throws IOException {
            start(0, 1);
            shuffle();
            if (level != Level.L1) {
                replaceOne();
            }
            start(1, 2);
            shuffle();
            start(2, 0);
            start(2, 3);
            if (heads == 0) {
                // With heads ranks must be dealt out as before.
                inTurn = !inTurn;
            }
            start(3, 0);
        }

        private void shuffle() {
            Collections.shuffle(nodes, random);
        }

        private void replaceOne() throws IOException {
            int lost = random.nextInt(nodes.size());
            run.loseDisk(nodes.get(lost));
            nodes.set(lost, random.nextBoolean() ? "a0" : "z9");
        }

        /**
         * @param before the checkpoint that is recovered, 0 for none
         * @param then the one that is taken, 0 for none
         */
        private void start(int before, int then) throws IOException {
            List<String> hosts = inTurn ? cyclic(nodes, 2 + heads) : block(nodes, 2 + heads);
            ThreadCommunicator.run(hosts.size(), comm -> {
                Data data = Data.empty(comm.rank());
                Checkpoints.Builder builder = run.on(hosts, comm);
                if (taking != Taking.BY_VARIABLE) {
                    builder.asynchronous();
                }
                if (reading == Reading.EARLY) {
                    data.protect(builder);
                }
                try (Checkpoints checkpoints = builder.open()) {
                    if (checkpoints.isHead()) {
                        return;
                    }
                    data.protect(checkpoints, reading);
                    if (before > 0) {
                        String what = told + ", nodes " + hosts + ", rank " + comm.rank();
                        assertThat(checkpoints.lastCheckpoint()).as(what).contains(before);
                        recover(checkpoints, data);
                        assertThat(data.values).as(what).isDeepEqualTo(Data.of(comm.rank(), before).values);
                    }
                    if (then > 0) {
                        data.set(comm.rank(), then);
                        take(checkpoints, data, then);
                    }
                }
            });
        }

        private void recover(Checkpoints checkpoints, Data data) throws IOException {
            if (reading == Reading.BY_VARIABLE) {
                for (int id = data.values.length - 1; id >= 0; id--) {
                    checkpoints.recover(id);
                }
            } else {
                checkpoints.recover();
            }
        }

        private void take(Checkpoints checkpoints, Data data, int ckptId) throws IOException {
            if (taking == Taking.BEHIND) {
                checkpoints.checkpoint(ckptId, level);
                data.spoil();
                return;
            }
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(ckptId, level)) {
                for (int id = data.values.length - 1; id >= 0; id--) {
                    checkpoint.add(id);
                    Arrays.fill(data.values[id], -1);
                }
                checkpoint.commit();
            }
        }
    }

    /** What a rank protects: variables of which each has another size on each rank. */
    private record Data(int[][] values) {

        static Data empty(int rank) {
            return new Data(new int[][] {new int[100 + 9 * rank], new int[1 + rank], new int[2000 - 33 * rank]});
        }

        static Data of(int rank, int ckptId) {
            Data data = empty(rank);
            data.set(rank, ckptId);
            return data;
        }

        void set(int rank, int ckptId) {
            for (int id = 0; id < values.length; id++) {
                int first = 1_000_000 * ckptId + 10_000 * (10 * id + rank);
                Arrays.setAll(values[id], i -> first + i);
            }
        }

        void spoil() {
            for (int[] each : values) {
                Arrays.fill(each, -1);
            }
        }

        /** Unless they are known. */
        void protect(Checkpoints checkpoints, Reading reading) {
            for (int id = 0; id < values.length && reading != Reading.EARLY; id++) {
                checkpoints.protect(id, values[id]);
            }
        }

        void protect(Checkpoints.Builder builder) {
            for (int id = 0; id < values.length; id++) {
                builder.protect(id, values[id]);
            }
        }
    }

    /** A differential checkpoint that is taken behind the computation, where a later one is an update of it. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void differentialCheckpointsBehind(String ioMode) throws IOException {
        RunFixture run =
                run(ioMode, Map.of("basic.enable_dcp", "1", "basic.dcp_mode", "1", "basic.dcp_block_size", "512"));
        List<String> nodes = new ArrayList<>(NODES);
        for (int start = 1; start <= 4; start++) {
            int before = start - 1;
            run.runOn(block(nodes, 2), builder -> builder.asynchronous().open(), (checkpoints, comm) -> {
                Data data = Data.empty(comm.rank());
                data.protect(checkpoints, Reading.ALL);
                if (before > 0) {
                    checkpoints.recover();
                    assertThat(data.values)
                            .as("seed %d, nodes %s, rank %d", seed, nodes, comm.rank())
                            .isDeepEqualTo(Data.of(comm.rank(), before).values);
                }
                data.set(comm.rank(), before + 1);
                checkpoints.checkpoint(before + 1, Level.L4_DCP);
                data.spoil();
            });
            Collections.shuffle(nodes, random);
            nodes.set(random.nextInt(nodes.size()), "x" + start);
        }
    }

    /** A part of a file of all ranks is that of the rank that asks for it, whatever node it is on. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aSingleFile(int heads) throws IOException {
        for (int start = 1; start <= 5; start++) {
            List<String> nodes = new ArrayList<>(start == 4 ? List.of("n3", "x1", "n1", "n2") : NODES);
            Collections.shuffle(nodes, random);
            // At last by another number of ranks.
            List<String> used = start == 5 ? nodes.subList(0, 2) : nodes;
            List<String> hosts = start % 2 == 0 ? cyclic(used, 2 + heads) : block(used, 2 + heads);
            int before = start - 1;
            RunFixture run = start == 1 ? singleFileRun(heads, "0") : singleFileRun(heads, "3");
            run.runOn(hosts, (checkpoints, comm) -> recoverAndTake(checkpoints, comm, before, before + 1));
        }
    }

    private RunFixture singleFileRun(int heads, String failure) throws IOException {
        return run(
                "5",
                Map.of(
                        "basic.h5_single_file_enable",
                        "1",
                        "basic.h5_single_file_dir",
                        directory.resolve("single").toString(),
                        "basic.h5_single_file_prefix",
                        "shared",
                        "basic.head",
                        Integer.toString(heads),
                        "basic.node_size",
                        Integer.toString(2 + heads),
                        "basic.group_size",
                        "1",
                        "restart.failure",
                        failure));
    }

    private void recoverAndTake(Checkpoints checkpoints, Communicator comm, int before, int then) throws IOException {
        NodeOrderTest.assertOrderAsGiven(checkpoints, comm);
        int length = ELEMENTS / checkpoints.communicator().size();
        int first = length * checkpoints.communicator().rank();
        int[] part = new int[length];
        checkpoints.protect(0, part);
        SingleFile file = checkpoints.singleFile();
        GlobalDataset all = file.globalDataset("all", List.of((long) ELEMENTS), ElementType.INTG);
        file.subset(0, all, List.of((long) first), List.of((long) length));
        if (before > 0) {
            checkpoints.recover();
            assertThat(part).as("seed %d", seed).isEqualTo(part(before, first, length));
        }
        System.arraycopy(part(then, first, length), 0, part, 0, length);
        file.checkpoint(then);
    }

    private static int[] part(int ckptId, int first, int length) {
        int[] part = new int[length];
        Arrays.setAll(part, i -> 1000 * ckptId + first + i);
        return part;
    }

    private RunFixture run(String ioMode, Map<String, String> changes) throws IOException {
        return new RunFixture(
                Files.createTempDirectory(directory, "run"),
                RunFixture.settings(
                        "advanced.local_test=0, group_size=4, ckpt_io=" + ioMode + ", node_size=2", changes));
    }
}
