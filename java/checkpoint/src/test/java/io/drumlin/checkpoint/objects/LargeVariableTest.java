package io.drumlin.checkpoint.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One variable of more than 2 GiB, and offsets above 4 GiB. Needs 5 GiB of heap and 10 GiB of disk. */
@Tag("soak")
class LargeVariableTest {

    private static final int LONGS = 290_000_000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"aligned", "compact"})
    void comesBackAsItWas(String packing) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, drumlin.packing=" + packing + ", keep_last_ckpt=1");
        long[] large = new long[LONGS];
        byte[] odd = {1, 2, 3};
        fill(large, 0x9E3779B97F4A7C15L);
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            checkpoints.protect(0, odd);
            checkpoints.protect(1, large);
            checkpoints.protect(2, large);
            checkpoints.protect(3, odd);
            checkpoints.checkpoint(1, Level.L1);
            assertThat(checkpoints.storedSize(2)).isEqualTo(8L * LONGS);
            // Through the copy to the parallel file system too: C FTI makes an empty file of it.
            checkpoints.complete();
        }
        assertThat(Files.size(run.file("Ckpt1-Rank0.fti"))).isGreaterThan(16L * LONGS);
        fill(large, 0);
        odd[1] = 0;
        try (Checkpoints checkpoints = Checkpoints.open(run.config(), new SingleCommunicator())) {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            checkpoints.protect(0, new byte[3]);
            checkpoints.protect(1, new long[LONGS]);
            checkpoints.protect(2, large);
            checkpoints.protect(3, odd);
            checkpoints.recover();
        }
        assertThat(odd).containsExactly(1, 2, 3);
        for (int i = 0; i < LONGS; i++) {
            if (large[i] != i * 0x9E3779B97F4A7C15L) {
                throw new AssertionError("element " + i + " is " + large[i]);
            }
        }
    }

    private static void fill(long[] values, long factor) {
        for (int i = 0; i < values.length; i++) {
            values[i] = i * factor;
        }
    }
}
