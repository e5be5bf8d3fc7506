package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("exhaustive")
@Tag("native")
class SignalsIT {

    @TestFactory
    Stream<DynamicTest> withTheUsualTransport() throws Exception {
        return MpiTests.dynamic(() -> Mpirun.ranks(2).tests(SignalChecks.class));
    }

    @TestFactory
    Stream<DynamicTest> overUcx() throws Exception {
        return MpiTests.dynamic(() -> MpiTests.assumeUcx(2).tests(SignalChecks.class));
    }

    /** The variable that keeps UCX away from signals is set against us, so only the restored handlers can help. */
    @TestFactory
    Stream<DynamicTest> overUcxThatInsistsOnSignals() throws Exception {
        return MpiTests.dynamic(() -> MpiTests.assumeUcx(2)
                .environment("UCX_ERROR_SIGNALS", "SIGILL,SIGSEGV,SIGBUS,SIGFPE")
                .tests(SignalChecks.class));
    }
}
