package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.stop.StoppingProgram;
import io.drumlin.comm.Mpirun;
import io.drumlin.comm.Mpirun.Outcome;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A signal that one process gets stops all processes of a job in the same iteration. */
@Tag("native")
@Tag("exhaustive")
class StopIT {

    @TempDir
    private Path folder;

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    private Outcome run(Map<String, String> changes, String how, String iteration, String what) throws Exception {
        Path config = folder.resolve("config.fti");
        if (!config.toFile().exists()) {
            new RunFixture(folder, changes);
        }
        return Mpirun.ranks(2).run(StoppingProgram.class, config.toString(), "0", how, iteration, what);
    }

    @Test
    void aSignalToOneRankStopsAll() throws Exception {
        Outcome stopped = run(Map.of(), "snapshot", "50", "USR1");
        assertThat(stopped.output())
                .contains("this job stops after a last checkpoint: rank 1 got SIGUSR1")
                .contains("rank 0 stops after ")
                .contains("rank 1 stops after ");
        assertThat(stopped.exitStatus()).as(stopped.output()).isEqualTo(Checkpoints.COME_AGAIN);

        Outcome second = run(Map.of(), "snapshot", "0", "nothing");
        assertThat(second.output()).contains("rank 1 restarts after ").contains("rank 0 is done");
        assertThat(second.exitStatus()).as(second.output()).isZero();
    }

    /** Rank 0 is the head. Slurm and mpirun send signals to all processes of a job. */
    @ParameterizedTest
    @CsvSource({"own, USR1", "snapshot, TERM"})
    void aHeadFinishesTheLastCheckpointAfterASignalToAll(String how, String signal) throws Exception {
        Map<String, String> changes =
                Map.of("basic.head", "1", "basic.inline_l2", "0", "basic.inline_l3", "0", "basic.inline_l4", "0");
        Outcome stopped = run(changes, how, "50", "all:" + signal);
        assertThat(stopped.output()).contains("rank 0 got SIG" + signal).contains("rank 1 stops after ");
        assertThat(stopped.exitStatus()).as(stopped.output()).isEqualTo(Checkpoints.COME_AGAIN);

        Outcome second = run(changes, how, "0", "nothing");
        assertThat(second.output()).contains("rank 1 restarts after ").contains("rank 1 is done");
        assertThat(second.exitStatus()).as(second.output()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, TERM", "1, 0, all:TERM"})
    void theCFacadeEndsAllProcesses(String heads, String inline, String signal) throws Exception {
        Map<String, String> changes = Map.of("drumlin.stop", "exit", "basic.head", heads, "basic.inline_l4", inline);
        Outcome stopped = run(changes, "fti", "50", signal);
        assertThat(stopped.output()).contains(" got SIGTERM").doesNotContain("done");
        assertThat(stopped.exitStatus()).as(stopped.output()).isEqualTo(Checkpoints.COME_AGAIN);

        Outcome second = run(changes, "fti", "0", "nothing");
        assertThat(second.output()).contains("rank 1 restarts after ").contains("rank 1 is done");
        assertThat(second.exitStatus()).as(second.output()).isZero();
    }
}
