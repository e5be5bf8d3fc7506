package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.stop.StoppingProgram;
import io.drumlin.comm.Mpirun;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The same jars and folder of libraries with MPICH beside Open MPI: whose launcher starts the job, that MPI it has. */
@Tag("exhaustive")
@Tag("native")
class MpichIT {

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Test
    void theLauncherChoosesTheMpi() throws Exception {
        Mpirun.Outcome mpich = Mpirun.mpich(2).run(Programs.Library.class);
        assertThat(mpich.output()).contains("rank 0 of 2 on MPICH").contains("rank 1 of 2 on MPICH");
        assertThat(mpich.exitStatus()).as(mpich.output()).isZero();
        Mpirun.Outcome openMpi = Mpirun.ranks(2).run(Programs.Library.class);
        assertThat(openMpi.output()).contains("rank 0 of 2 on Open MPI").contains("rank 1 of 2 on Open MPI");
        assertThat(openMpi.exitStatus()).as(openMpi.output()).isZero();
    }

    @Test
    void theUserChoosesTheMpi() throws Exception {
        Mpirun.mpich(1); // skips
        Mpirun.Outcome outcome =
                Mpirun.withoutLauncher().environment("DRUMLIN_MPI", "mpich").run(Programs.Library.class);
        assertThat(outcome.output()).contains("rank 0 of 1 on MPICH");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    @Test
    void anotherMpiThanThatOfTheLauncherIsAnErrorAndNotTwoJobs() throws Exception {
        Mpirun.Outcome outcome =
                Mpirun.mpich(2).jvmOptions("-Ddrumlin.mpi=openmpi").run(Programs.Library.class);
        assertThat(outcome.output())
                .doesNotContain("of 1 on")
                .contains("the launcher started 2 processes, but for Open MPI")
                .contains("-Ddrumlin.mpi or DRUMLIN_MPI says so");
        assertThat(outcome.exitStatus()).isNotZero();
    }

    @TestFactory
    Stream<DynamicTest> communicators() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.mpich(2).tests(NativeMpiChecks.class));
    }

    /** MPICH is linked to UCX, which takes the JVM's signals when it is loaded. */
    @TestFactory
    Stream<DynamicTest> signals() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.mpich(2).tests(SignalChecks.class));
    }

    /** The variable that keeps UCX away from signals is set against us, so only the restored handlers can help. */
    @TestFactory
    Stream<DynamicTest> signalsThatUcxInsistsOn() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.mpich(2)
                .environment("UCX_ERROR_SIGNALS", "SIGILL,SIGSEGV,SIGBUS,SIGFPE")
                .tests(SignalChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> sharedFiles() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.mpich(2).tests(MpiFileChecks.class));
    }

    /** MPI_Init of MPICH takes SIGUSR1. */
    @Test
    void aSignalToOneRankStopsAll(@TempDir Path directory) throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        Mpirun.Outcome stopped =
                Mpirun.mpich(2).run(StoppingProgram.class, run.config().toString(), "0", "snapshot", "50", "USR1");
        assertThat(stopped.output())
                .contains("this job stops after a last checkpoint: rank 1 got SIGUSR1")
                .doesNotContain("handles it itself");
        assertThat(stopped.exitStatus()).as(stopped.output()).isEqualTo(Checkpoints.COME_AGAIN);
    }

    @Test
    void checkpoints(@TempDir Path directory) throws Exception {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        Mpirun.Outcome outcome =
                Mpirun.mpich(2).run(EndProgram.class, "fti", run.config().toString(), "return");
        assertThat(outcome.output()).contains("main returns").doesNotContain("without calling");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }
}
