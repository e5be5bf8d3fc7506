package io.drumlin.checkpoint.costs;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.CountedCommunicator;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many small variables cost neither a write nor a message each. */
class ManyVariablesTest {

    private static final int RANKS = 2;
    private static final int SIZE = 1024;
    private static final int MANY = 100;

    @TempDir
    Path directory;

    /** What two ranks ask for in one checkpoint. */
    private record Cost(int writes, int messages) {}

    @ParameterizedTest
    @CsvSource({"3, aligned", "3, compact", "1, compact"})
    void aCheckpointOfManyCostsLittleMoreThanOfOne(String ioMode, String packing) throws IOException {
        for (Level level : Level.values()) {
            Cost one = cost(ioMode, packing, level, 1, SIZE);
            Cost many = cost(ioMode, packing, level, MANY, SIZE);
            assertThat(many.writes - one.writes).as("level %s", level).isLessThanOrEqualTo(RANKS * MANY / 8);
            assertThat(many.messages).as("level %s", level).isEqualTo(one.messages);
        }
    }

    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"3, L3, 20000", "1, L1, 100000"})
    void theCostOfManyMoreIsLinear(String ioMode, Level level, int many) throws IOException {
        Cost tenth = cost(ioMode, "compact", level, many / 10, Long.BYTES);
        Cost whole = cost(ioMode, "compact", level, many, Long.BYTES);
        assertThat(whole.writes).isLessThanOrEqualTo(10 * tenth.writes);
        assertThat(whole.messages).isLessThanOrEqualTo(10 * tenth.messages);
    }

    private Cost cost(String ioMode, String packing, Level level, int variables, int size) throws IOException {
        Path folder = directory.resolve(level + "-" + variables);
        assertThat(folder.toFile().mkdir()).isTrue();
        RunFixture run = new RunFixture(
                folder, "ckpt_io=" + ioMode + ", drumlin.packing=" + packing + ", node_size=1, group_size=2");
        Map<Integer, Cost> costs = new ConcurrentHashMap<>();
        ThreadCommunicator.run(RANKS, comm -> {
            AtomicInteger messages = new AtomicInteger();
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(CountedCommunicator.of(comm, name -> !name.matches("rank|size|close"), messages))
                    .storage(storage)
                    .open()) {
                byte[][] data = new byte[variables][size];
                for (int id = 0; id < variables; id++) {
                    Arrays.fill(data[id], (byte) (id + comm.rank()));
                    checkpoints.protect(id, data[id]);
                }
                int writesBefore = storage.count(Operation.WRITE);
                int messagesBefore = messages.get();
                checkpoints.checkpoint(1, level);
                costs.put(
                        comm.rank(),
                        new Cost(storage.count(Operation.WRITE) - writesBefore, messages.get() - messagesBefore));
                for (byte[] variable : data) {
                    Arrays.fill(variable, (byte) -1);
                }
                checkpoints.recover();
                for (int id = 0; id < variables; id++) {
                    assertThat(data[id]).containsOnly((byte) (id + comm.rank()));
                }
            }
        });
        return new Cost(
                costs.values().stream().mapToInt(Cost::writes).sum(),
                costs.values().stream().mapToInt(Cost::messages).sum());
    }
}
