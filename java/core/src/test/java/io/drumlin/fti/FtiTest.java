package io.drumlin.fti;

import static io.drumlin.fti.FTI.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.RunFixture;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Return codes and status transitions of docs/formats/fti-run-directory.md as C programs see them. */
class FtiTest {

    @TempDir
    Path directory;

    @Test
    void aPortedProgramRunsFailsAndContinues() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of());
        String config = run.config().toString();
        ThreadCommunicator.run(4, comm -> {
            assertThat(FTI_Init(config, comm)).isEqualTo(FTI_SCES);
            assertThat(FTI_COMM_WORLD().size()).isEqualTo(4);
            assertThat(FTI_Status()).isZero();
            Scalar.OfInt i = new Scalar.OfInt(5);
            double[] grid = {1, 2, 3 + comm.rank()};
            assertThat(FTI_Protect(0, i, 1, FTI_INTG)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(1, grid, 3, FTI_DBLE)).isEqualTo(FTI_SCES);
            assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_DONE);
            assertThat(FTI_GetStoredSize(1)).isEqualTo(24);
            // The last checkpoint can be read back in the running job.
            grid[0] = 9;
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertThat(grid[0]).isEqualTo(1);
        });
        ThreadCommunicator.run(4, comm -> {
            assertThat(FTI_Init(config, comm)).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isEqualTo(1);
            Scalar.OfInt i = new Scalar.OfInt(0);
            double[] grid = {};
            FTI_Protect(0, i, 1, FTI_INTG);
            FTI_Protect(1, grid, 0, FTI_DBLE);
            assertThat(FTI_Recover()).isEqualTo(FTI_NREC);
            assertThat(FTI_Status()).isEqualTo(1);
            grid = FTI_Realloc(1, grid);
            assertThat(grid).hasSize(3);
            assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
            assertThat(FTI_RecoverVar(1)).isEqualTo(FTI_SCES);
            assertThat(FTI_RecoverVar(77)).isEqualTo(FTI_NREC);
            assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isEqualTo(1);
            assertThat(grid[2]).isEqualTo(3 + comm.rank());
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            assertThat(FTI_Status()).isZero();
            assertThat(i.value).isEqualTo(5);
            assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
        });
        assertThat(run.files()).isEmpty();
        assertThat(run.restartValue("failure")).isEqualTo("0");
    }

    @Test
    void nothingIsDoneBeforeInitialisation() {
        assertThat(FTI_Status()).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 1, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Checkpoint(1, FTI_L1)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Recover()).isEqualTo(FTI_NSCS);
        assertThat(FTI_Snapshot()).isEqualTo(FTI_NSCS);
        assertThat(FTI_Finalize()).isEqualTo(FTI_NSCS);
        assertThat(FTI_GetStoredSize(0)).isZero();
    }

    @Test
    void aRefusedConfigurationIsNoSuccess() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("advanced.block_size", "4096"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_NSCS);
        assertThat(FTI_Init(directory.resolve("none").toString(), new SingleCommunicator()))
                .isEqualTo(FTI_NSCS);
    }

    @Test
    void aRestartThatFindsNothingGoesOnAsAFreshRun() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        String config = run.config().toString();
        assertThat(FTI_Init(config, new SingleCommunicator())).isEqualTo(FTI_SCES);
        int[] value = {7};
        FTI_Protect(0, value, 1, FTI_INTG);
        assertThat(FTI_Checkpoint(1, FTI_L4)).isEqualTo(FTI_DONE);
        Files.delete(run.file("Ckpt1-Rank0.fti"));
        assertThat(FTI_Init(config, new SingleCommunicator())).isEqualTo(FTI_NREC);
        assertThat(FTI_Status()).isZero();
        assertThat(FTI_Recover()).isEqualTo(FTI_NREC);
        FTI_Protect(0, value, 1, FTI_INTG);
        assertThat(FTI_Checkpoint(2, FTI_L1)).isEqualTo(FTI_DONE);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }

    @Test
    void badArgumentsChangeNothing() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.max_var_id", "10"));
        assertThat(FTI_Init(run.config().toString(), new SingleCommunicator())).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(-1, new int[1], 1, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(11, new int[1], 1, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 2, FTI_INTG)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 1, FTI_DBLE)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, new int[1], 1, 11)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(0, "text", 1, FTI_CHAR)).isEqualTo(FTI_NSCS);
        assertThat(FTI_Protect(10, ByteBuffer.allocateDirect(32), 2, FTI_LDBE)).isEqualTo(FTI_SCES);
        for (int level : new int[] {0, -1, 10, FTI_L4_DCP, FTI_L4_H5_SINGLE, FTI_L2, FTI_L3}) {
            assertThat(FTI_Checkpoint(1, level)).as("level %d", level).isEqualTo(FTI_NSCS);
        }
        assertThat(FTI_Checkpoint(0, FTI_L1)).isEqualTo(FTI_NSCS);
        assertThat(run.restartValue("failure")).isEqualTo("0");
        assertThat(FTI_Checkpoint(1, FTI_L1_DCP)).isEqualTo(FTI_DONE);
        assertThat(FTI_GetStoredSize(10)).isEqualTo(32);
        assertThat(FTI_Finalize()).isEqualTo(FTI_SCES);
    }
}
