package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class OpenMpiJavaIT {

    private static Path mpiJar;

    @BeforeAll
    static void assumeMpiJar() throws Exception {
        mpiJar = MpiTests.assumeMpiJar();
    }

    @TestFactory
    Stream<DynamicTest> onOneRank() throws Exception {
        return Mpirun.ranks(1).classPath(mpiJar).tests(OpenMpiJavaChecks.class);
    }

    @TestFactory
    Stream<DynamicTest> onTwoRanks() throws Exception {
        return Mpirun.ranks(2).classPath(mpiJar).tests(OpenMpiJavaChecks.class);
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return Mpirun.ranks(4).classPath(mpiJar).tests(OpenMpiJavaChecks.class);
    }

    /** UCX takes SIGSEGV when the program initialises MPI by itself; nobody but us tells it why its JVM will die. */
    @Test
    void signalsLostToUcxAreReported() throws Exception {
        Mpirun.Outcome outcome = MpiTests.assumeUcx(1).classPath(mpiJar).run(Programs.JoinsMpiOfTheProgram.class);
        assertThat(outcome.output())
                .contains("SIGSEGV is handled by")
                .contains("libucs")
                .contains("UCX_ERROR_SIGNALS=");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    @Test
    void signalsThatAreInPlaceAreNotReported() throws Exception {
        Mpirun.Outcome outcome = MpiTests.assumeUcx(1)
                .classPath(mpiJar)
                .environment("UCX_ERROR_SIGNALS", "")
                .run(Programs.JoinsMpiOfTheProgram.class);
        assertThat(outcome.output()).contains("joined").doesNotContain("SIGSEGV");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }
}
