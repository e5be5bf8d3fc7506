package io.drumlin.cli.inspect;

import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.file.DataFile;
import io.drumlin.cli.file.Selection;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.input.InputOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code drumlin extract}: extracts data from a file. */
@Command(
        name = "extract",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Takes data out of a file, and checks their digests on the way.",
            "An existing output file is replaced only when all went well."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:extracted, digests are right",
            "1:the file is damaged, or of a run the newest checkpoint; no output file was written, bytes on stdout are not"
                    + " to be trusted",
            "2:not a file of a known format, or it does not hold what was selected",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
public final class ExtractCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private InputOptions input;

    /** What to take. */
    private static final class Choice {

        @Option(
                names = "--select",
                required = true,
                paramLabel = "KEY=VALUE",
                description = {
                    "What to take: var=ID, the variable with that id; var=ID@RANK or var=ID,rank=RANK if the file is of"
                            + " several ranks, and of a run, from the checkpoint that a restart takes.",
                    "HDF5: dataset=PATH.",
                    "SION: task=N, or task=N,key=K of a file with keys.",
                    "GSD: chunk=NAME,frame=I.",
                    "With ,rows=A:B only the rows from A to before B, which are elements along the first dimension."
                })
        private @Nullable String selection;

        @Option(
                names = "--all",
                required = true,
                description = "Take everything: -o names a folder, which gets a file for each variable and rank.")
        @SuppressWarnings("UnusedVariable") // without a selection it is the choice
        private boolean all;
    }

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init")
    private Choice choice;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "Where to put it; - for stdout. With --all a folder that is new or empty.")
    @SuppressWarnings("NullAway.Init")
    private String output;

    @Option(
            names = "--format",
            defaultValue = "raw",
            paramLabel = "FORMAT",
            description = "raw: the bytes as they are. npy: for numpy.load. csv: numbers as text. Default: raw.")
    @SuppressWarnings("NullAway.Init")
    private OutputFormat format;

    @Override
    public Integer call() throws IOException {
        if (choice.selection == null) {
            new ExtractedFolder(Path.of(output), format, input).write();
            return ExitCode.OK;
        }
        input.open(Selection.parse(choice.selection), (file, data) -> {
            format.require(data, input.types().type(data).isPresent());
            file.copy(List.of(data), this::write);
            return data;
        });
        return ExitCode.OK;
    }

    private void write(StoredData data, DataFile.Copy copy) throws IOException {
        if (output.equals("-")) {
            format.write(data, copy, stdout());
        } else {
            try (ReplacedFile target = ReplacedFile.create(Path.of(output))) {
                format.write(data, copy, target.stream());
                target.commit();
            }
        }
    }

    /** Returns stdout. System.out is not used because it hides write errors. */
    private static OutputStream stdout() {
        return new FileOutputStream(FileDescriptor.out);
    }
}
