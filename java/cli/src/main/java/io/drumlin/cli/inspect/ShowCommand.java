package io.drumlin.cli.inspect;

import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.input.InputOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code drumlin show}: prints values. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Prints values of a variable, a dataset, a task or a chunk with their indices, and checks their digests.",
            "Of many lines it prints the first and the last ones. Bytes without a known type are printed as hexadecimal"
                    + " numbers."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:shown, digests are right",
            "1:the file is damaged, or of a run the newest checkpoint; nothing was printed, or with --all, what was printed"
                    + " is not to be trusted",
            "2:not a file of a known format, or it does not hold what was selected",
            "3:a file could not be read",
            "64:wrong command line"
        })
public final class ShowCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private InputOptions input;

    @Option(
            names = "--select",
            required = true,
            paramLabel = "KEY=VALUE",
            description = "What to print, as extract takes it, for example var=1,rank=3,rows=0:10.")
    @SuppressWarnings("NullAway.Init")
    private String selection;

    @Option(names = "--all", description = "Print all lines and all elements of long ones.")
    private boolean all;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        input.open(Selection.parse(selection), (file, data) -> {
            ShownLines lines = new ShownLines(data, all, out);
            if (all) {
                out.println(heading(data));
            }
            file.copy(List.of(data), (each, copy) -> copy.to(lines));
            if (!all) {
                out.println(heading(data));
            }
            lines.finish();
            return data;
        });
        out.flush();
        return ExitCode.OK;
    }

    private static String heading(StoredData data) {
        return data.label() + ": " + data.elementType() + ", "
                + data.shape().stream().map(String::valueOf).collect(Collectors.joining("x")) + ", "
                + Sizes.readable(data.size()) + (data.verified() ? "" : ", without a digest");
    }
}
