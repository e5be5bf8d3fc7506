package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A run and two groups with processes as ranks, killed twice. */
@Tag("exhaustive")
@Tag("native")
class GroupsIT {

    @TempDir
    private Path directory;

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @ParameterizedTest
    @CsvSource({"3, 0", "1, 1"})
    void eachGoesOnFromItsOwn(String ioMode, String async) throws IOException, InterruptedException {
        RunFixture run =
                new RunFixture(directory, "ckpt_io=" + ioMode + ", node_size=1, group_size=2, drumlin.async=" + async);
        start(run, "1", 0, 0, 0);
        start(run, "2", 0, 1, 2);
        start(run, "3", 3, 4, 2);
        assertThat(run.restartValue("failure")).isEqualTo("0");
        assertThat(run.files()).isEmpty();
    }

    private static void start(RunFixture run, String start, int own, int solver, int tracer)
            throws IOException, InterruptedException {
        Mpirun.Outcome outcome =
                Mpirun.ranks(4).run(GroupsProgram.class, run.config().toString(), start);
        assertThat(outcome.exitStatus() == 0).as(outcome.output()).isEqualTo(start.equals("3"));
        assertThat(outcome.output())
                .contains("run begins at " + own, "solver begins at " + solver, "tracer begins at " + tracer);
    }
}
