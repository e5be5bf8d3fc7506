package io.drumlin.cli.diff;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.Progress;
import io.drumlin.cli.diff.ComparedSide.Said;
import io.drumlin.cli.diff.ElementErrors.Tolerance;
import io.drumlin.format.FormatException;
import io.drumlin.format.hdf5.UnsupportedFeatureException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin diff}: compares two checkpoints. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Compares two checkpoints, files or runs, variable by variable and rank by rank, and checks their digests.",
            "Says of each variable whether it is equal; if not, how many elements differ, where the first one is, and how"
                    + " large the errors are.",
            "NaN are equal if both are quiet or both signal, zeros whatever their signs are."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:equal, or within the tolerance",
            "1:different",
            "2:they cannot be compared: wrong command line, not a file of a known format, formats with different data, or"
                    + " what was selected is in neither",
            "3:a file could not be read or written",
            "65:a file is damaged; nothing is said about the data of this file"
        })
public final class DiffCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "A",
            description = "A checkpoint file, or a run of FTI: its configuration file or its folder.")
    @SuppressWarnings("NullAway.Init")
    private Path pathA;

    @Parameters(index = "1", paramLabel = "B", description = "Another one, a file or a run like A.")
    @SuppressWarnings("NullAway.Init")
    private Path pathB;

    @Option(names = "--meta-a", paramLabel = "PATH", description = "Metadata of A, as --meta of inspect.")
    private @Nullable Path metadataA;

    @Option(names = "--meta-b", paramLabel = "PATH", description = "Metadata of B.")
    private @Nullable Path metadataB;

    @Option(names = "--run-a", paramLabel = "ID", description = "The run of A, as --run of inspect.")
    private @Nullable String runA;

    @Option(names = "--run-b", paramLabel = "ID", description = "The run of B.")
    private @Nullable String runB;

    @Option(
            names = "--checkpoint-a",
            paramLabel = "ID",
            description = "The checkpoint of the run A, as run list has it. Without this the one that a restart takes.")
    private @Nullable Integer checkpointA;

    @Option(names = "--checkpoint-b", paramLabel = "ID", description = "The checkpoint of the run B.")
    private @Nullable Integer checkpointB;

    @Option(
            names = "--select",
            paramLabel = "KEY=VALUE",
            description = "Compare only this, as extract takes it, without rows. May be given more than once.")
    private @Nullable List<String> selections;

    @Option(
            names = "--type",
            paramLabel = "[NAME:]TYPE",
            description = {
                "Type of the elements where the files do not have it, as extract takes it; with a name such as"
                        + " var=1:double of one variable. May be given more than once. Without a type bytes are compared."
            })
    private @Nullable List<String> types;

    @Option(
            names = "--tolerance",
            paramLabel = "ERROR",
            description = "Largest absolute error of floating-point numbers that are equal. Default: 0.")
    private double tolerance;

    @Option(
            names = "--relative-tolerance",
            paramLabel = "ERROR",
            description = "Largest error of floating-point numbers that are equal, by the larger one. Default: 0.")
    private double relativeTolerance;

    @Option(names = "--brief", description = "Print only what differs.")
    private boolean brief;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE.svg",
            description = "Draw the errors of each variable by their size. An existing picture is replaced.")
    private @Nullable Path picture;

    @Override
    public Integer call() throws IOException {
        try {
            check();
            Said saidA = new Said(pathA, metadataA, runA, checkpointA, "--checkpoint-a");
            Said saidB = new Said(pathB, metadataB, runB, checkpointB, "--checkpoint-b");
            return ComparedSide.open(saidA, a -> ComparedSide.open(saidB, b -> compare(a, b)));
        } catch (UnsupportedFeatureException e) {
            throw e;
        } catch (FormatException e) {
            throw new CommandException(ExitCode.DAMAGED_DATA, String.valueOf(e.getMessage()));
        } catch (CommandException e) {
            int code = e.exitCode() == ExitCode.USAGE ? ExitCode.NOT_RECOGNISED : e.exitCode();
            throw new CommandException(
                    code == ExitCode.DAMAGED ? ExitCode.DAMAGED_DATA : code, String.valueOf(e.getMessage()));
        }
    }

    private void check() {
        if (!(tolerance >= 0) || !(relativeTolerance >= 0)) {
            throw new CommandException(ExitCode.USAGE, "a tolerance must be 0 or more");
        }
        if (picture != null && !picture.toString().toLowerCase(Locale.ROOT).endsWith(".svg")) {
            throw new CommandException(ExitCode.USAGE, "-o " + picture + " must end in .svg");
        }
    }

    private int compare(ComparedSide a, ComparedSide b) throws IOException {
        Tolerance within = new Tolerance(tolerance, relativeTolerance);
        CheckpointComparison comparison = new CheckpointComparison(a, b, DiffSelection.of(selections, types), within);
        comparison.check();
        PrintWriter out = spec.commandLine().getOut();
        DiffSummary summary;
        try (DiffReport report = json ? new DiffJson(out) : new DiffText(out, brief);
                Progress progress = Progress.of(() -> a.bytes() + b.bytes(), "diff")) {
            summary = new DiffSummary(report);
            report.begin(a, b);
            comparison.run(summary, progress);
            report.end(summary);
        }
        out.flush();
        if (picture != null) {
            new ErrorPicture(summary, within).write(picture, pathA, pathB);
        }
        return summary.isDifferent() ? ExitCode.DIFFERENT : ExitCode.OK;
    }
}
