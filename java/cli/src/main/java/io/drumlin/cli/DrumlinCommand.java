package io.drumlin.cli;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.TerminalWriter;
import io.drumlin.cli.convert.ConvertCommand;
import io.drumlin.cli.diff.DiffCommand;
import io.drumlin.cli.inspect.ExtractCommand;
import io.drumlin.cli.inspect.InspectCommand;
import io.drumlin.cli.inspect.ShowCommand;
import io.drumlin.cli.inspect.VerifyCommand;
import io.drumlin.cli.launch.LaunchCommand;
import io.drumlin.cli.launch.ScavengeCommand;
import io.drumlin.cli.picture.MapCommand;
import io.drumlin.cli.run.RunCommand;
import io.drumlin.cli.stat.StatCommand;
import io.drumlin.cli.tools.GsdCommand;
import io.drumlin.cli.tools.HaltCommand;
import io.drumlin.cli.tools.IndexCommand;
import io.drumlin.cli.tools.SionCommand;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.UnsupportedFeatureException;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.index.NoSuchDatasetException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code drumlin} command: shows the contents of a checkpoint file, checks it, and extracts data. */
@Command(
        name = "drumlin",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            InspectCommand.class,
            VerifyCommand.class,
            ShowCommand.class,
            ExtractCommand.class,
            DiffCommand.class,
            MapCommand.class,
            ConvertCommand.class,
            RunCommand.class,
            IndexCommand.class,
            HaltCommand.class,
            LaunchCommand.class,
            ScavengeCommand.class,
            SionCommand.class,
            GsdCommand.class,
            StatCommand.class,
            ManualCommand.class,
            DrumlinCommand.Completion.class
        },
        description = {
            "Looks into checkpoint files, and starts jobs again. Formats are recognised by content, never by name.",
            "Known: FTI-FF in all six layouts, those of C FTI v1.1 to v1.6 and of its head; the metadata of FTI's"
                    + " modes POSIX and MPI-IO, and with them the data files; FTI's HDF5 files; whole runs of FTI; kvtree"
                    + " files and prefix directories of SCR; SION, the files of SIONlib; GSD, the trajectories of hoomd."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done; the file is whole as far as it was looked at",
            "1:the file is damaged, one line per finding",
            "2:not a file of a known format, or it does not hold what was asked for",
            "3:a file or directory could not be read or written",
            "64:wrong command line",
            "65:of diff, where 1 is different and 2 also a wrong command line: a file is damaged",
            "70:a mistake of this program, or too little memory; its trace is on stderr"
        })
public final class DrumlinCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** For {@link #main} and picocli. */
    public DrumlinCommand() {}

    /**
     * Runs the command and ends the process with its exit code.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        CommandLine commandLine = commandLine();
        System.exit(execute(writingTo(commandLine, commandLine.getOut(), commandLine.getErr()), arguments));
    }

    /**
     * Runs the command. Without this method, an error such as a lack of memory would end with the exit code of a
     * damaged file.
     */
    static int execute(CommandLine commandLine, String... arguments) {
        try {
            return commandLine.execute(arguments);
        } catch (Error e) {
            e.printStackTrace(commandLine.getErr());
            return ExitCode.MISTAKE;
        }
    }

    /**
     * Sets where the command writes to. Its output passes no control characters from files to a terminal, and it emits
     * none of its own for colours.
     *
     * @param commandLine the command
     * @param out where its output goes
     * @param err where its messages go
     * @return the command
     */
    public static CommandLine writingTo(CommandLine commandLine, PrintWriter out, PrintWriter err) {
        return commandLine
                .setOut(TerminalWriter.of(out))
                .setErr(TerminalWriter.of(err))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    }

    /**
     * Makes the command.
     *
     * @return the command with its subcommands, handlers of errors and exit codes
     */
    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new DrumlinCommand());
        commandLine.setExecutionExceptionHandler(DrumlinCommand::explain);
        CommandLine.IParameterExceptionHandler usage = commandLine.getParameterExceptionHandler();
        commandLine.setParameterExceptionHandler(
                (wrong, arguments) -> String.valueOf(wrong.getMessage()).contains(InvalidPathException.class.getName())
                        ? explainPath(wrong)
                        : usage.handleParseException(wrong, arguments));
        setCodes(commandLine);
        // As diff(1), whose exit code 1 has a meaning.
        Objects.requireNonNull(commandLine.getSubcommands().get("diff"))
                .getCommandSpec()
                .exitCodeOnInvalidInput(ExitCode.NOT_RECOGNISED);
        return commandLine;
    }

    private static void setCodes(CommandLine commandLine) {
        commandLine
                .getCommandSpec()
                .exitCodeOnInvalidInput(ExitCode.USAGE)
                .exitCodeOnExecutionException(ExitCode.MISTAKE);
        commandLine.getSubcommands().values().forEach(DrumlinCommand::setCodes);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is needed: see drumlin --help");
    }

    /**
     * An error that the user can do something about gets a line. Anything else is a mistake of the program and is
     * thrown with its trace.
     */
    private static int explain(Exception exception, CommandLine commandLine, ParseResult parsed) throws Exception {
        PrintWriter err = commandLine.getErr();
        if (exception instanceof UncheckedIOException wrapped) {
            // It always has a cause.
            return explain(Objects.requireNonNull(wrapped.getCause()), commandLine, parsed);
        }
        if (exception instanceof CommandException ended) {
            err.println("drumlin: " + ended.getMessage());
            return ended.exitCode();
        }
        if (exception instanceof UnsupportedFeatureException otherKind) {
            err.println("drumlin: " + otherKind.getMessage());
            return ExitCode.NOT_RECOGNISED;
        }
        if (exception instanceof FormatException damaged) {
            err.println("drumlin: " + damaged.getMessage());
            return ExitCode.DAMAGED;
        }
        if (exception instanceof NoSuchDatasetException) {
            err.println("drumlin: " + exception.getMessage());
            return ExitCode.NOT_RECOGNISED;
        }
        if (exception instanceof IOException) {
            err.println("drumlin: " + Printable.text(reason(exception)));
            return ExitCode.IO_ERROR;
        }
        throw exception;
    }

    /** The command line is right, so that a page of usage would not help. */
    private static int explainPath(ParameterException wrong) {
        CommandLine commandLine = wrong.getCommandLine();
        commandLine
                .getErr()
                .println("drumlin: the locale does not have all characters of the path "
                        + Printable.text(String.valueOf(wrong.getValue()))
                        + "; set LC_ALL to one that has them, such as C.UTF-8");
        return commandLine.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String reason(Exception exception) {
        if (exception instanceof NoSuchFileException) {
            return exception.getMessage() + ": no such file or directory";
        }
        if (exception instanceof AccessDeniedException) {
            return exception.getMessage() + ": permission denied";
        }
        return String.valueOf(exception.getMessage());
    }

    /** {@code drumlin generate-completion}, for scripts/install. */
    @Command(
            name = "generate-completion",
            hidden = true,
            description = "Prints a script of completions for bash and zsh.")
    static final class Completion implements Runnable {

        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Override
        public void run() {
            PrintWriter out = spec.commandLine().getOut();
            out.print(AutoComplete.bash("drumlin", spec.root().commandLine()));
            out.print('\n');
            out.flush();
        }
    }
}
