package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.storage.RefusingEngine;
import io.drumlin.storage.RefusingEngine.Trouble;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bit of an FTI-FF file is wrong that no digest of C FTI covers: with redundancy there is enough to know what is right. */
@Tag("exhaustive")
class UncoveredBytesTest {

    private static final int RANKS = 4;

    @TempDir(factory = InMemory.class)
    private Path directory;

    private RunFixture run;

    /** @param full rank whose file has no gap */
    private void prepare(String layout, Level level, int full) throws IOException {
        run = new RunFixture(directory, "node_size=1, group_size=4, ckpt_io=3, drumlin.layout=" + layout);
        run.run(RANKS, (checkpoints, comm) -> {
            for (int id = 0; id < 2; id++) {
                checkpoints.protect(id, values(id, comm.rank(), 9));
            }
            checkpoints.checkpoint(1, Level.L1);
            // Smaller, so that there is something behind the chunk.
            checkpoints.protect(0, values(0, comm.rank(), size(comm.rank(), full)));
            checkpoints.checkpoint(2, level);
        });
    }

    private static long[] values(int id, int rank, int size) {
        long[] values = new long[size];
        Arrays.fill(values, 100 * id + rank);
        return values;
    }

    /** Elements of the first variable. */
    private static int size(int rank, int full) {
        return rank == full ? 9 : 3;
    }

    private void expectData(String what, int full) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            List<long[]> found = new ArrayList<>();
            for (int id = 0; id < 2; id++) {
                assertThat(checkpoints.storedSize(id))
                        .as("%s: size of variable %d", what, id)
                        .isPositive();
                found.add(new long[(int) checkpoints.storedSize(id) / Long.BYTES]);
                checkpoints.protect(id, found.get(id));
            }
            checkpoints.recover();
            for (int id = 0; id < 2; id++) {
                assertThat(found.get(id))
                        .as(what)
                        .isEqualTo(values(id, comm.rank(), id == 0 ? size(comm.rank(), full) : 9));
            }
        });
    }

    /** Ids, hasCkpt and what else the records of variables have. */
    @ParameterizedTest
    @CsvSource({"F, L2", "E, L2", "F, L3", "E, L3"})
    void aBitOfTheRecords(String layout, Level level) throws IOException {
        flipOneOf(31, layout, level);
    }

    @ParameterizedTest
    @CsvSource({"F, L2", "E, L2", "F, L3", "E, L3"})
    void manyBitsOfTheRecords(String layout, Level level) throws IOException {
        flipOneOf(7, layout, level);
    }

    /** One of {@code stride} bits that follow each other. */
    private void flipOneOf(int stride, String layout, Level level) throws IOException {
        prepare(layout, level, -1);
        Path file = run.file("Ckpt2-Rank1.fti");
        byte[] whole = Files.readAllBytes(file);
        FtiFfFile read = FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(whole)));
        int first = (int) read.meta().dataSize();
        long seed = System.nanoTime();
        for (int bit = new Random(seed).nextInt(stride);
                bit < (read.recordOffset() - first) * Byte.SIZE;
                bit += stride) {
            byte[] damaged = whole.clone();
            damaged[first + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            Files.write(file, damaged);
            expectData("seed " + seed + ", bit " + bit + " of the records", -1);
            assertThat(Files.readAllBytes(file)).isEqualTo(whole);
        }
    }

    /** The file of another rank is lost, and what is made of the damaged one is not what it was. */
    @ParameterizedTest
    @CsvSource({"F, 0", "E, 0", "F, 1", "E, 2", "F, 3"})
    void aByteBehindAChunkWhereFilesAreMadeOfIt(String layout, int rank) throws IOException {
        int full = (rank + 1) % RANKS;
        prepare(layout, Level.L3, full);
        Path file = run.file("Ckpt2-Rank" + rank + ".fti");
        byte[] damaged = Files.readAllBytes(file);
        // In the file that is lost there is content at this place.
        damaged[4 * Long.BYTES] ^= 1;
        Files.write(file, damaged);
        Path lost = run.file("Ckpt2-Rank" + full + ".fti");
        byte[] before = Files.readAllBytes(lost);
        Files.delete(lost);
        expectData("a byte behind a chunk", full);
        assertThat(Files.readAllBytes(lost)).isEqualTo(before);
    }

    /** Nothing of a pass that failed is taken for what the next one makes, in which the damaged file is left out. */
    @ParameterizedTest
    @CsvSource({"F", "E"})
    void whatAFailedPassHasMadeIsNotUsed(String layout) throws IOException {
        int full = 1;
        prepare(layout, Level.L3, full);
        // Left out first, and never again.
        Path file = run.file("Ckpt2-Rank0.fti");
        byte[] damaged = Files.readAllBytes(file);
        damaged[4 * Long.BYTES] ^= 1;
        Files.write(file, damaged);
        Path lost = run.file("Ckpt2-Rank1.fti");
        byte[] before = Files.readAllBytes(lost);
        Files.delete(lost);
        // Over the files before they are verified, and afterwards.
        AtomicInteger failingPasses = new AtomicInteger(2);
        StorageEngine storage = new RefusingEngine(
                new NioEngine(),
                Trouble.ENOENT,
                path -> path.endsWith("drumlin-restored-Ckpt2-Rank1.fti") && failingPasses.getAndDecrement() > 0);
        ThreadCommunicator.run(RANKS, comm -> Checkpoints.builder(run.config())
                .communicator(comm)
                .storage(storage)
                .open()
                .close());
        assertThat(failingPasses.get()).isNegative();
        assertThat(Files.readAllBytes(lost)).isEqualTo(before);
        expectData("a byte behind a chunk", full);
    }
}
