package io.drumlin.examples;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Command lines that start a JVM like the one of the test. */
final class JavaCommand {

    private JavaCommand() {}

    /**
     * The command that runs a class on the class path of the test. The class path comes first, for mpirun. Ranks of tests are over before
     * the optimizing compiler has earned its time.
     */
    static List<String> of(String mainClass, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        for (String property : List.of("drumlin.native", "drumlin.native.dir")) {
            if (System.getProperty(property) != null) {
                command.add("-D" + property + "=" + System.getProperty(property));
            }
        }
        command.add(mainClass);
        command.addAll(List.of(arguments));
        return command;
    }

    /** Absolute, for programs that start elsewhere. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The command that runs a class on some ranks. Skips the test where there is no MPI; pure Java runs leave it out by its tag. */
    static List<String> mpirun(int ranks, String mainClass, String... arguments) {
        assumeFalse("off".equals(System.getProperty("drumlin.native")), "MPI needs native code, which is off");
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "mpirun"))),
                "there is no mpirun in PATH");
        List<String> command = new ArrayList<>(List.of("mpirun", "--oversubscribe", "-n", Integer.toString(ranks)));
        if (System.getProperty("user.name").equals("root")) {
            command.add(1, "--allow-run-as-root");
        }
        command.addAll(of(mainClass, arguments));
        return command;
    }

    /** The words of a command for a shell. */
    static String quoted(List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
