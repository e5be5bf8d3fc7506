package io.drumlin.examples;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines that start a JVM like the one of the test. */
final class JavaCommand {

    private JavaCommand() {}

    /** The command that runs a class on the class path of the test. The class path comes first, for mpirun. */
    static List<String> of(String mainClass, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:+UseSerialGC"));
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
}
