package io.drumlin.nativecore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** For tests that need the C core: skipped where nobody built it, failed where it was built and cannot be used. */
public final class NativeTests {

    private NativeTests() {}

    /** Returns only if the C core can be used. */
    public static void requireCore() {
        assumeFalse(NativeLibrary.switchedOff(), "native code is switched off by -Ddrumlin.native=off");
        boolean built = Files.exists(folder().resolve("libdrumlin_core.so"));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(built).as("C core in " + folder()).isTrue();
        }
        assumeTrue(built, "there is no C core in " + folder());
        NativeCore.ensureAvailable();
    }

    /** Where the build puts the libraries. */
    static Path folder() {
        return Path.of(System.getProperty(NativeLibrary.DIRECTORY_PROPERTY, "build/native/lib"));
    }
}
