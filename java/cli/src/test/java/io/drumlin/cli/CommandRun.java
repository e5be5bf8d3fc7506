package io.drumlin.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import picocli.CommandLine;

/** Runs the command in this process and keeps what it says. */
public final class CommandRun {

    /** One for all tests, which run one after the other: to make it costs more than most of the runs. */
    private static final CommandLine COMMAND =
            DrumlinCommand.commandLine().setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Runs with arguments and gives the exit code; what earlier runs said is forgotten. */
    public int run(Object... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return COMMAND.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
    }

    public String out() {
        return out.toString();
    }

    public String err() {
        return err.toString();
    }
}
