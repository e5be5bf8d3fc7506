package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@Tag("native")
class OpenMpiJavaIT {

    @Tag("exhaustive")
    @TestFactory
    Stream<DynamicTest> onOneRank() throws Exception {
        return onRanks(1);
    }

    @Tag("exhaustive")
    @TestFactory
    Stream<DynamicTest> onTwoRanks() throws Exception {
        return onRanks(2);
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return onRanks(4);
    }

    private static Stream<DynamicTest> onRanks(int ranks) throws Exception {
        return MpiTests.dynamic(
                () -> Mpirun.ranks(ranks).classPath(MpiTests.assumeMpiJar()).tests(OpenMpiJavaChecks.class));
    }

    /** UCX takes SIGSEGV when the program initialises MPI by itself; nobody but us tells it why its JVM will die. */
    @Test
    void signalsLostToUcxAreReported() throws Exception {
        Mpirun.Outcome outcome = MpiTests.assumeUcx(1)
                .classPath(MpiTests.assumeMpiJar())
                // UCX's default: that this JVM has loaded MPI has changed the variable for the processes that it
                // starts.
                .environment("UCX_ERROR_SIGNALS", "SIGILL,SIGSEGV,SIGBUS,SIGFPE")
                .run(Programs.JoinsMpiOfTheProgram.class);
        assertThat(outcome.output())
                .contains("SIGSEGV is handled by")
                .contains("libucs")
                .contains("UCX_ERROR_SIGNALS=");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    @Test
    void signalsThatAreInPlaceAreNotReported() throws Exception {
        Mpirun.Outcome outcome = MpiTests.assumeUcx(1)
                .classPath(MpiTests.assumeMpiJar())
                .environment("UCX_ERROR_SIGNALS", "")
                .run(Programs.JoinsMpiOfTheProgram.class);
        assertThat(outcome.output()).contains("joined").doesNotContain("SIGSEGV");
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }
}
