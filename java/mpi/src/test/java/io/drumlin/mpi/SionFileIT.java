package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Mpirun;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@Tag("native")
class SionFileIT {

    @TestFactory
    Stream<DynamicTest> onFiveRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(5).tests(SionFileChecks.class));
    }

    /** What rank 1 has written through MPI-IO does not reach the device. */
    @Test
    void aFailureOfOneRankIsOneOfAllAndSaidOnce() throws Exception {
        MpiTests.assumeNativeMpi();
        Mpirun.Outcome outcome = Mpirun.ranks(3)
                .faults("sync path=failing.sion rank=1 error=EIO")
                .timeout(Duration.ofSeconds(40))
                .run(SionFailureProgram.class);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output())
                .contains("closed: [0, 0, 0]", "opened: [-1, -1, -1]")
                .containsOnlyOnce("sion_parclose_mpi: ");
    }
}
