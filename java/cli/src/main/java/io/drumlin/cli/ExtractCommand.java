package io.drumlin.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin extract}: extracts data from a file. */
@Command(
        name = "extract",
        mixinStandardHelpOptions = true,
        versionProvider = DrumlinCommand.Version.class,
        description = {
            "Takes data out of a file, as raw bytes, and checks their digests on the way.",
            "An existing output file is replaced only when all went well."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:extracted, digests are right",
            "1:the file is damaged; no output file was written, bytes on stdout are not to be trusted",
            "2:not a file of a known format, or it does not hold what was selected",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
final class ExtractCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            description = "A checkpoint file, or a run of FTI: its configuration file or its folder.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private MetadataOption metadata;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private RunOption run;

    @Option(
            names = "--select",
            required = true,
            paramLabel = "KEY=VALUE",
            description = {
                "What to take: var=ID, the variable with that id; var=ID@RANK if the file is of several ranks, and of"
                        + " a run, from the checkpoint that a restart takes.",
                "HDF5: dataset=PATH.",
                "SION: task=N, or task=N,key=K of a file with keys.",
                "GSD: chunk=NAME,frame=I, or chunk=NAME,frame=I,rows=A:B for the rows from A to before B."
            })
    @SuppressWarnings("NullAway.Init")
    private String selection;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "Where to put it; - for stdout.")
    @SuppressWarnings("NullAway.Init")
    private String output;

    @Override
    public Integer call() throws IOException {
        String[] parts = selection.split("=", 2);
        if (parts.length != 2) {
            throw new ParameterException(spec.commandLine(), "--select needs KEY=VALUE, not " + selection);
        }
        if (output.equals("-")) {
            OutputStream stdout = new BufferedOutputStream(stdout());
            extract(parts[0], parts[1], stdout);
            stdout.flush();
        } else {
            try (ReplacedFile target = ReplacedFile.create(Path.of(output))) {
                extract(parts[0], parts[1], target.stream());
                target.commit();
            }
        }
        return ExitCode.OK;
    }

    private void extract(String key, String value, OutputStream target) throws IOException {
        Optional<CheckpointDirectory> directory = CheckpointDirectory.of(path, run);
        if (directory.isPresent()) {
            directory.get().extract(key, value, target);
            return;
        }
        try (FileSource source = FileSource.open(path)) {
            Format.of(source, metadata.path()).extract(key, value, target);
        }
    }

    /** Returns stdout. System.out is not used because it hides write errors. */
    private static OutputStream stdout() {
        return new FileOutputStream(FileDescriptor.out);
    }
}
