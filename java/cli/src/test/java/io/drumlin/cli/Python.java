package io.drumlin.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** Debian's Python, whose package python3-numpy reads what the command writes. */
public final class Python {

    private static final String COMMAND = "/usr/bin/python3";

    private Python() {}

    static boolean has(String module) {
        try {
            return start(Path.of("."), List.of("-c", "import " + module)).waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static void require(String module) {
        Assumptions.assumeTrue(has(module), "python3-" + module + " is not installed");
    }

    /** Runs a program and gives what it prints; it must succeed. */
    public static String run(Path folder, String program, Object... arguments)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("-c", program));
        for (Object argument : arguments) {
            words.add(argument.toString());
        }
        Process process = start(folder, words);
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new AssertionError(output);
        }
        return output;
    }

    private static Process start(Path folder, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(COMMAND));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }
}
