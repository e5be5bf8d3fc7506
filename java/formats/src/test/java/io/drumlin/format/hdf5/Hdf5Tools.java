package io.drumlin.format.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.format.hdf5.internal.Hdf5Library;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The commands of the HDF5 library, which read and write files with it: Debian's package hdf5-tools. */
public final class Hdf5Tools {

    private Hdf5Tools() {}

    /** Skips the test where the class path is that of all modules. */
    public static void requireNoLibrary() {
        assumeTrue(ServiceLoader.load(Hdf5Library.class).findFirst().isEmpty(), "drumlin-hdf5 is on the class path");
    }

    /** Runs a command and gives what it printed. Skips the test, but not in CI, where the command is missing. */
    public static String run(String... command) throws IOException {
        boolean there = Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, command[0])));
        if (!"true".equals(System.getenv("CI"))) {
            assumeTrue(there, command[0] + " is not installed; scripts/setup does that");
        }
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(process.waitFor()).as(output).isZero();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return output;
    }
}
