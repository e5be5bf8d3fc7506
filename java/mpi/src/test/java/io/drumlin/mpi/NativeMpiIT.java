package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("native")
class NativeMpiIT {

    @Tag("exhaustive")
    @TestFactory
    Stream<DynamicTest> onOneRank() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(1).tests(NativeMpiChecks.class));
    }

    @Tag("exhaustive")
    @TestFactory
    Stream<DynamicTest> onTwoRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(2).tests(NativeMpiChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(4).tests(NativeMpiChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> overUcx() throws Exception {
        return MpiTests.dynamic(() -> MpiTests.assumeUcx(2).tests(NativeMpiChecks.class));
    }
}
