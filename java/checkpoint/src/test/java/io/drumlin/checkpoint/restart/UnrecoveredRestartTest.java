package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.IncrementalCheckpoint;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A checkpoint after a restart whose data the program has not asked for. */
class UnrecoveredRestartTest {

    private static final int RANKS = 2;

    @TempDir
    private Path directory;

    private RunFixture run;

    @BeforeEach
    void takeCheckpoint() throws IOException {
        run = new RunFixture(directory, "node_size=1, group_size=2, enable_dcp=1");
        run.run(RANKS, (checkpoints, comm) -> {
            protect(checkpoints, 7);
            checkpoints.checkpoint(1, Level.L1);
        });
    }

    private static int[][] protect(Checkpoints checkpoints, int value) {
        int[][] arrays = {{value, value}, {value}};
        checkpoints.protect(1, arrays[0]);
        checkpoints.protect(2, arrays[1]);
        return arrays;
    }

    private void requireData() throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            int[][] arrays = protect(checkpoints, 0);
            checkpoints.recover();
            assertThat(arrays).isDeepEqualTo(new int[][] {{7, 7}, {7}});
        });
    }

    @ParameterizedTest
    @EnumSource
    void itIsRefused(Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            protect(checkpoints, 0);
            assertThatThrownBy(() -> checkpoints.checkpoint(2, level))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContaining("has not recovered its data");
            assertThat(checkpoints.isRestart()).isTrue();
        });
        requireData();
    }

    @Test
    void anIncrementalOneIsRefused() throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            protect(checkpoints, 0);
            try (IncrementalCheckpoint checkpoint = checkpoints.incremental(2, Level.L1)) {
                checkpoint.add(1);
                checkpoint.add(2);
                assertThatThrownBy(checkpoint::commit).hasMessageContaining("has not recovered its data");
            }
        });
        requireData();
    }

    @Test
    void aRankThatHasRecoveredIsNotEnough() throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            protect(checkpoints, 0);
            if (comm.rank() == 0) {
                checkpoints.recover();
            }
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).hasMessageContaining("rank 1");
        });
        requireData();
    }

    @Test
    void aFailedRecoveryIsNotEnough() throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, new int[5]);
            assertThatThrownBy(checkpoints::recover).isInstanceOf(DrumlinException.class);
            assertThatThrownBy(() -> checkpoints.checkpoint(2, Level.L1)).hasMessageContaining("has not recovered");
        });
        requireData();
    }

    @Test
    void singleVariablesAreEnough() throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            int[][] arrays = protect(checkpoints, 0);
            checkpoints.recover(2);
            arrays[0][0] = 7;
            arrays[0][1] = 7;
            checkpoints.checkpoint(2, Level.L1);
        });
        requireData();
    }

    @Test
    void itIsTakenIfTheProgramSaysSo() throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            protect(checkpoints, 7);
            checkpoints.discardRestart();
            assertThat(checkpoints.isRestart()).isFalse();
            checkpoints.checkpoint(2, Level.L1);
            assertThat(checkpoints.lastCheckpoint()).hasValue(2);
        });
        requireData();
    }
}
