package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/** What the integration tests of this module need of the machine. */
final class MpiTests {

    private MpiTests() {}

    /** Skips the test where native MPI was not built or switched off; fails it where CI should have it. */
    static void assumeNativeMpi() {
        Assumptions.assumeFalse(
                "off".equals(System.getProperty("drumlin.native")),
                "native code is switched off: -Ddrumlin.native=off");
        Throwable cause = NativeMpi.unavailabilityCause();
        if (cause != null) {
            Mpirun.skip("native MPI is not available: " + cause.getMessage());
        }
        Mpirun.assumeInstalled();
    }

    /** The tests of a factory; where it must be skipped, a test that is, because Surefire counts no skipped factories. */
    static Stream<DynamicTest> dynamic(Callable<Stream<DynamicTest>> factory) throws Exception {
        try {
            assumeNativeMpi();
            return factory.call();
        } catch (TestAbortedException reason) {
            return Stream.of(DynamicTest.dynamicTest("skipped", () -> {
                throw reason;
            }));
        }
    }

    /** The jar that scripts/make-mpi-jar has made for the MPI in use; skips the test where there is none. */
    static Path assumeMpiJar() throws IOException {
        assumeNativeMpi();
        Matcher openMpi = Pattern.compile("Open MPI v([0-9.]+)").matcher(NativeMpi.library());
        Assumptions.assumeTrue(openMpi.find(), () -> "this is another MPI, without mpi.jar");
        String version = openMpi.group(1);
        Path jar = Path.of(
                System.getProperty("drumlin.mpi.repository"),
                "org/open-mpi/mpi-java",
                version,
                "mpi-java-" + version + ".jar");
        Assumptions.assumeTrue(Files.exists(jar), () -> "there is no " + jar + "; scripts/make-mpi-jar makes it");
        return jar;
    }

    /** UCX carries messages here only when its checks of the devices are switched off. */
    static final String[] UCX = {
        "--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"
    };

    /** A job whose messages go through UCX; skips the test where UCX does not work. */
    static Mpirun assumeUcx(int ranks) throws IOException, InterruptedException {
        assumeNativeMpi();
        Mpirun.Outcome trial = Mpirun.ranks(2).options(UCX).run(Programs.Hello.class);
        Assumptions.assumeTrue(
                trial.exitStatus() == 0 && trial.output().contains("hello from rank 0 of 2"),
                () -> "UCX does not work here: " + trial.output());
        return Mpirun.ranks(ranks).options(UCX);
    }
}
