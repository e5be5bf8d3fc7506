package io.drumlin.checkpoint.modes;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MpiIoModeTest extends IoModeContract implements OtherRanksContract, SeparateMetadataContract, SharedFileContract {

    @Override
    public int ioMode() {
        return 2;
    }

    @Override
    String nameOfMode() {
        return "MPI-IO";
    }

    /** Of the file of all ranks, in which every byte is data. */
    @Test
    void aByteThatIsWrongAnywhereIsFound() throws IOException {
        RunFixture run = make(Map.of());
        IoModeContract.take(run, 1, Level.L4);
        Path file = lastFileOfLevel4(run, 1);
        byte[] whole = Files.readAllBytes(file);
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int at : new int[] {0, whole.length - 1, random.nextInt(whole.length), random.nextInt(whole.length)}) {
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            Files.write(file, changed);
            assertThatThrownBy(() -> run.run(4, (checkpoints, comm) -> {}))
                    .as("seed %d, byte %d", seed, at)
                    .hasMessageContaining("at no level");
        }
        Files.write(file, whole);
        IoModeContract.recover(run, 1, Level.L4);
    }

    @Override
    public Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-mpiio.fti");
    }
}
