package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("exhaustive")
@Tag("native")
class GsdFileIT {

    @TestFactory
    Stream<DynamicTest> onOneRank() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(1).tests(GsdFileChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(4).tests(GsdFileChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> onSevenRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(7).tests(GsdFileChecks.class));
    }
}
