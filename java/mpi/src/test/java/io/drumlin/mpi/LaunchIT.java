package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import io.drumlin.nativecore.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How jobs begin and end. */
@Tag("native")
@Tag("exhaustive")
class LaunchIT {

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Test
    void theWorldIsNativeMpi() throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(3).run(Programs.Hello.class);
        assertThat(outcome.output())
                .contains("hello from rank 0 of 3 by NativeMpi")
                .contains("hello from rank 1 of 3 by NativeMpi")
                .contains("hello from rank 2 of 3 by NativeMpi");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    @Test
    void unusableNativeMpiIsAnErrorAndNotThreeJobs() throws Exception {
        Mpirun.Outcome outcome =
                Mpirun.ranks(3).jvmOptions("-Ddrumlin.native.dir=/nonexistent").run(Programs.Hello.class);
        assertThat(outcome.output())
                .doesNotContain("hello")
                .contains("OMPI_COMM_WORLD_SIZE=3")
                .contains("native MPI cannot be used")
                .contains("/nonexistent");
        assertThat(outcome.exitStatus()).isNotZero();
    }

    /** Left behind by an older build, beside a C core of this one. */
    @Test
    void aStaleLibraryIsAnErrorAndNotTwoJobs(@TempDir Path folder) throws Exception {
        Path built = Path.of(System.getProperty(NativeLibrary.DIRECTORY_PROPERTY, "build/native/lib"));
        for (String name : List.of("drumlin_core.so", "jnidrumlin_core.so")) {
            Files.copy(built.resolve("lib" + name), folder.resolve("lib" + name));
        }
        for (String name : List.of("drumlin_mpi.so", "jnidrumlin_mpi.so")) {
            Files.copy(Mpirun.testLibrary("stale").resolve("lib" + name), folder.resolve("lib" + name));
        }
        Mpirun.Outcome outcome =
                Mpirun.ranks(2).jvmOptions("-Ddrumlin.native.dir=" + folder).run(Programs.Hello.class);
        assertThat(outcome.output())
                .doesNotContain("hello")
                .contains("native MPI cannot be used: libdrumlin_mpi from " + folder + " has ABI 1")
                .contains("jars of one version");
        assertThat(outcome.exitStatus()).isNotZero();
    }

    @Test
    void nativeCodeSwitchedOffIsAnErrorAndNotTwoJobs() throws Exception {
        Mpirun.Outcome outcome =
                Mpirun.ranks(2).jvmOptions("-Ddrumlin.native=off").run(Programs.Hello.class);
        assertThat(outcome.output()).doesNotContain("hello").contains("drumlin.native=off");
        assertThat(outcome.exitStatus()).isNotZero();
    }

    @Test
    void aProcessWithoutALauncherIsAWorldOfItsOwn() throws Exception {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher().run(Programs.Hello.class);
        assertThat(outcome.output()).contains("hello from rank 0 of 1 by NativeMpi");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    @Test
    void aProcessWithoutALauncherNeedsNoNativeMpi() throws Exception {
        Mpirun.Outcome outcome =
                Mpirun.withoutLauncher().jvmOptions("-Ddrumlin.native=off").run(Programs.Hello.class);
        assertThat(outcome.output()).contains("hello from rank 0 of 1 by SingleCommunicator");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    /** Another MPI's launcher leaves variables that tell our MPI nothing, so each process finds itself alone. */
    @Test
    void theLauncherOfAnotherMpiIsAnErrorAndNotFourJobs() throws Exception {
        Mpirun.Outcome outcome = Mpirun.withoutLauncher()
                .environment("MV2_COMM_WORLD_SIZE", "4")
                .environment("MV2_COMM_WORLD_RANK", "0")
                .run(Programs.Hello.class);
        assertThat(outcome.output())
                .doesNotContain("hello")
                .contains("the launcher started 4 processes")
                .contains("this one is alone");
        assertThat(outcome.exitStatus()).isNotZero();
    }

    @Test
    void aRankThatThrowsEndsTheJob() throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(3).run(Programs.OneRankThrows.class);
        assertThat(outcome.output()).contains("rank 1 failed, aborting the job").contains("boom");
        assertThat(outcome.exitStatus()).isEqualTo(1);
    }

    @Test
    void abortGivesItsStatusToTheJob() throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(3).run(Programs.OneRankAborts.class);
        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(42);
    }

    @Test
    void anUncaughtExceptionEndsTheJob() throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(2).run(Programs.UncaughtException.class);
        assertThat(outcome.output()).contains("uncaught exception in thread").contains("nobody catches this");
        assertThat(outcome.exitStatus()).isEqualTo(1);
    }

    @Test
    void theWorldCanBeOpenedAndClosedInCycles() throws Exception {
        Mpirun.Outcome outcome = Mpirun.ranks(2).run(Programs.Cycles.class);
        assertThat(outcome.output()).contains("cycle 0 sum 2").contains("cycle 2 sum 2");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }
}
