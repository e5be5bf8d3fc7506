package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FtiFfFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bit of the records of an FTI-FF file is wrong: the data come back, or an exception, whatever no digest covers. */
@ExtendWith(EngineLog.class)
class DamagedRecordsTest {

    /** Of one size, so that one could be taken for another; each has a container of its first size and one of what it has grown by. */
    private static final int SIZE = 24;

    @TempDir(factory = InMemory.class)
    private Path directory;

    @ParameterizedTest
    @CsvSource({"F, compact", "E, compact", "A, compact", "F, aligned"})
    void someBits(String layout, String packing) throws IOException {
        flip(layout, packing, 41);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"F, compact", "E, compact", "A, compact", "F, aligned"})
    void everyBit(String layout, String packing) throws IOException {
        flip(layout, packing, 1);
    }

    private void flip(String layout, String packing, int step) throws IOException {
        long seed = System.nanoTime();
        RunFixture run = new RunFixture(
                directory, "node_size=1, ckpt_io=3, drumlin.layout=" + layout + ", drumlin.packing=" + packing);
        run.run(1, (checkpoints, comm) -> {
            for (int size : new int[] {SIZE, 2 * SIZE}) {
                for (int id = 1; id <= 3; id++) {
                    checkpoints.protect(id, values(id, size));
                }
                checkpoints.checkpoint(size, Level.L1);
            }
        });
        Path file = run.file("Ckpt" + 2 * SIZE + "-Rank0.fti");
        byte[] whole = Files.readAllBytes(file);
        String config = Files.readString(run.config());
        for (int bit = new Random(seed).nextInt(step); bit < whole.length * Byte.SIZE; bit += step) {
            if (isData(whole, bit / Byte.SIZE)) {
                continue;
            }
            byte[] damaged = whole.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            Files.createDirectories(file.getParent());
            Files.write(file, damaged);
            Files.writeString(run.config(), config);
            requireDataOrRefusal(run, "seed " + seed + ", bit " + bit);
        }
    }

    private static boolean isData(byte[] file, int offset) throws IOException {
        return FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(file)))
                .containers()
                .anyMatch(each -> offset >= each.fptr() && offset < each.fptr() + each.containerSize());
    }

    private static void requireDataOrRefusal(RunFixture run, String what) {
        byte[][] arrays = new byte[4][2 * SIZE];
        try {
            run.run(1, (checkpoints, comm) -> {
                for (int id = 1; id <= 3; id++) {
                    checkpoints.protect(id, arrays[id]);
                }
                checkpoints.recover();
            });
        } catch (IOException e) {
            assertThat(e.getMessage()).as(what).isNotBlank();
            return;
        }
        for (int id = 1; id <= 3; id++) {
            assertThat(arrays[id]).as(what).isEqualTo(values(id, 2 * SIZE));
        }
    }

    private static byte[] values(int seed, int size) {
        byte[] values = new byte[size];
        new Random(seed).nextBytes(values);
        return values;
    }
}
