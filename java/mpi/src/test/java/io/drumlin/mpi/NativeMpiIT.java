package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NativeMpiIT {

    @BeforeAll
    static void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @TestFactory
    Stream<DynamicTest> onOneRank() throws Exception {
        return Mpirun.ranks(1).tests(NativeMpiChecks.class);
    }

    @TestFactory
    Stream<DynamicTest> onTwoRanks() throws Exception {
        return Mpirun.ranks(2).tests(NativeMpiChecks.class);
    }

    @TestFactory
    Stream<DynamicTest> onFourRanks() throws Exception {
        return Mpirun.ranks(4).tests(NativeMpiChecks.class);
    }

    @TestFactory
    Stream<DynamicTest> overUcx() throws Exception {
        return MpiTests.assumeUcx(2).tests(NativeMpiChecks.class);
    }
}
