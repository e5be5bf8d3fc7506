package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("native")
class MpiFileIT {

    @Tag("exhaustive")
    @TestFactory
    Stream<DynamicTest> onOneRank() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(1).tests(MpiFileChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(4).tests(MpiFileChecks.class));
    }
}
