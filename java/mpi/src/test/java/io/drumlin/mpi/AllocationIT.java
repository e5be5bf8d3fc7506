package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("exhaustive")
@Tag("native")
class AllocationIT {

    @TestFactory
    Stream<DynamicTest> onTwoRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(2).tests(AllocationChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(4).tests(AllocationChecks.class));
    }
}
