package io.drumlin.cli.base;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.IVersionProvider;

/** This program: its version, and how to start it again. */
public final class Program implements IVersionProvider {

    /** The class with {@code main}. */
    private static final String MAIN = "io.drumlin.cli.DrumlinCommand";

    /** For picocli. */
    public Program() {}

    /** Returns the version of the jar: the manifest has it for the class path, the descriptor for the module path. */
    @Override
    public String[] getVersion() {
        Optional<String> version = Program.class.getModule().isNamed()
                ? Program.class.getModule().getDescriptor().rawVersion()
                : Optional.ofNullable(Program.class.getPackage().getImplementationVersion());
        return new String[] {"drumlin " + version.orElse("(not run from its jar)")};
    }

    /** Returns the command that starts this program on another node, which sees the same files. */
    public static List<String> start() {
        List<String> words = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        if (Program.class.getModule().isNamed()) {
            words.addAll(List.of(
                    "-p",
                    absolute(System.getProperty("jdk.module.path", "")),
                    "-m",
                    Program.class.getModule().getName() + "/" + MAIN));
        } else {
            words.addAll(List.of("-cp", absolute(System.getProperty("java.class.path")), MAIN));
        }
        return words;
    }

    private static String absolute(String paths) {
        return Stream.of(paths.split(File.pathSeparator))
                .map(path -> Path.of(path).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
