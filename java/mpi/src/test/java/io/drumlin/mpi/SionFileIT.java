package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("native")
class SionFileIT {

    @TestFactory
    Stream<DynamicTest> onFiveRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(5).tests(SionFileChecks.class));
    }
}
