package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read to make lost files again. */
@Tag("exhaustive")
class LostFilesTest {

    private static final int RANKS = 4;
    private static final int BYTES = 12 << 20;

    /** Bytes of metadata, of what is between chunks, and of what is ahead of that. */
    private static final int LITTLE = 5 << 20;

    @TempDir
    private Path directory;

    /**
     * What is left is hashed when it is read to be sent or decoded. At level 2 both sides know the digests then; what is made at level 3 is
     * read to be verified.
     */
    @ParameterizedTest
    @CsvSource({"L2, 1", "L2, 3", "L2, 5", "L3, 1", "L3, 3", "L3, 5"})
    void onlyWhatIsRecoveredIsReadAgain(Level level, String ioMode) throws IOException {
        RunFixture run = checkpointed(level, ioMode);
        List<Long> bytes = readAfterLossOfRankOne(run);
        assertThat(bytes.get(0)).isBetween(3L * BYTES, 3L * BYTES + LITTLE);
        long own = level == Level.L2 ? BYTES : 2L * BYTES;
        assertThat(bytes.get(1)).isBetween(own, own + LITTLE);
    }

    /** From the encoded files alone. */
    @ParameterizedTest
    @CsvSource({"1", "3"})
    void allPlainFilesAreMadeInOnePass(String ioMode) throws IOException {
        RunFixture run = checkpointed(Level.L3, ioMode);
        for (int rank = 0; rank < RANKS; rank++) {
            Files.delete(run.file("Ckpt1-Rank" + rank + ".fti"));
        }
        assertThat(read(run)).allSatisfy(bytes -> assertThat(bytes).isBetween(3L * BYTES, 3L * BYTES + LITTLE));
    }

    private RunFixture checkpointed(Level level, String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, group_size=4, ckpt_io=" + ioMode);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, values(comm.rank()));
            checkpoints.checkpoint(1, level);
        });
        return run;
    }

    private List<Long> readAfterLossOfRankOne(RunFixture run) throws IOException {
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        return read(run);
    }

    private static byte[] values(int rank) {
        byte[] values = new byte[BYTES];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (31 * i + (i >>> 12) + rank);
        }
        return values;
    }

    /** Bytes that each rank reads in a restart and a recovery. */
    private List<Long> read(RunFixture run) throws IOException {
        List<FaultyEngine> engines = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            engines.add(new FaultyEngine(new NioEngine(), false));
        }
        run.run(RANKS, (builder, rank) -> builder.storage(engines.get(rank)), (checkpoints, comm) -> {
            byte[] values = new byte[BYTES];
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).isEqualTo(values(comm.rank()));
        });
        return engines.stream().map(engine -> engine.bytesRead(directory)).toList();
    }
}
