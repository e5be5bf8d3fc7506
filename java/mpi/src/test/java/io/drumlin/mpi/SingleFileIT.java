package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import io.drumlin.fti.SingleFileProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shared HDF5 file, with processes as ranks. */
@Tag("exhaustive")
@Tag("native")
class SingleFileIT {

    @TempDir
    private Path directory;

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Test
    void sixAndThreeRanksGoOnWhereFourStopped() throws IOException, InterruptedException {
        start(4, "0", Map.of(), "5");
        assertThat(start(6, "3", Map.of(), "recover")).contains("recovered on 6");
        assertThat(start(3, "3", Map.of(), "recover")).contains("recovered on 3");
    }

    @Test
    void headsDoNotMatter() throws IOException, InterruptedException {
        Map<String, String> heads =
                Map.of("basic.head", "1", "basic.h5_single_file_inline", "0", "basic.node_size", "3");
        start(6, "0", heads, "5");
        assertThat(start(3, "3", heads, "recover")).contains("recovered on 3");
        assertThat(start(3, "3", Map.of(), "recover")).contains("recovered on 3");
    }

    private String start(int ranks, String failure, Map<String, String> changes, String what)
            throws IOException, InterruptedException {
        Map<String, String> all = RunFixture.settings(
                "ckpt_io=5, node_size=1, h5_single_file_enable=1, restart.failure=" + failure, changes);
        RunFixture run = new RunFixture(directory, all);
        Mpirun.Outcome outcome =
                Mpirun.ranks(ranks).run(SingleFileProgram.class, run.config().toString(), what);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(run.restartValue("failure")).isEqualTo("0");
        return outcome.output();
    }
}
