package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often files are read to make lost ones again. */
@Tag("exhaustive")
class RestorationTest {

    private static final int RANKS = 4;
    private static final int BYTES = 12 << 20;

    /** Reads of metadata, of what is between chunks, and of what is ahead of that. */
    private static final int FEW = 10;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"L2, 3", "L3, 3", "L3, 1"})
    void eachFileIsReadOnceWhereThereIsMemory(Level level, String ioMode) throws IOException {
        RunFixture run = checkpointed(level, ioMode, "1000");
        List<Integer> whole = reads(run);
        List<Integer> lost = readsAfterLossOfRankOne(run);
        for (int rank = 0; rank < RANKS; rank++) {
            // What is made again is verified and recovered from memory.
            assertThat(lost.get(rank)).as("rank %d", rank).isLessThan(rank == 1 ? FEW : whole.get(rank) + FEW);
        }
    }

    @ParameterizedTest
    @CsvSource({"L2, 3", "L3, 1"})
    void theyAreReadAgainWithoutMemory(Level level, String ioMode) throws IOException {
        RunFixture run = checkpointed(level, ioMode, "0");
        List<Integer> whole = reads(run);
        List<Integer> lost = readsAfterLossOfRankOne(run);
        assertThat(lost.get(0)).isGreaterThan(whole.get(0) + FEW);
        assertThat(lost.get(1)).isGreaterThan(2 * FEW);
    }

    private RunFixture checkpointed(Level level, String ioMode, String memory) throws IOException {
        RunFixture run = new RunFixture(
                directory,
                Map.of(
                        "basic.node_size",
                        "1",
                        "basic.group_size",
                        "4",
                        "basic.ckpt_io",
                        ioMode,
                        "drumlin.restart_memory",
                        memory));
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, values(comm.rank()));
            checkpoints.checkpoint(1, level);
        });
        return run;
    }

    private List<Integer> readsAfterLossOfRankOne(RunFixture run) throws IOException {
        RunDirectory.delete(directory.resolve("Local/node1"), new NioEngine());
        return reads(run);
    }

    private static byte[] values(int rank) {
        byte[] values = new byte[BYTES];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (31 * i + (i >>> 12) + rank);
        }
        return values;
    }

    /** Reads of each rank in a restart and a recovery. */
    private static List<Integer> reads(RunFixture run) throws IOException {
        List<FaultyEngine> engines = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            engines.add(new FaultyEngine(new NioEngine(), false));
        }
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(engines.get(comm.rank()))
                    .open()) {
                byte[] values = new byte[BYTES];
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values).isEqualTo(values(comm.rank()));
            }
        });
        return engines.stream().map(engine -> engine.count(Operation.READ)).toList();
    }
}
