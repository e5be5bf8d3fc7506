package io.drumlin.cli.inspect;

import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.file.WatchedSource;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.input.CheckpointDirectory;
import io.drumlin.cli.input.MetadataOption;
import io.drumlin.cli.input.PrefixDirectory;
import io.drumlin.cli.input.RunOption;
import io.drumlin.format.Finding;
import io.drumlin.format.internal.Findings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin verify}: checks whether a file is intact. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Checks metadata and data of a file against every rule and digest of its format.",
            "Each finding is a line on stdout: PATH: FIELD at offset N: what is wrong.",
            "Of a run of FTI all checkpoints are looked at as a restart does, and nothing is changed."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the file is whole; of a run, a restart succeeds and no file is lost or damaged",
            "1:the file is damaged; of a run, files are, but a restart succeeds",
            "2:not a file of a known format; of a run, no checkpoint can be recovered",
            "3:the file could not be read",
            "64:wrong command line"
        })
public final class VerifyCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            description = "A file, a run of FTI (its configuration file or its folder), or a prefix directory of SCR.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private MetadataOption metadata;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private RunOption run;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (PrefixDirectory.isOne(path)) {
            return PrefixDirectory.open(path).verify(out);
        }
        Optional<CheckpointDirectory> directory = CheckpointDirectory.of(path, run);
        if (directory.isPresent()) {
            return directory.get().verify(out);
        }
        try (FileSource source = FileSource.open(path)) {
            RecognisedFile file = Formats.of(source, metadata.path());
            try (WatchedSource watched = WatchedSource.of(source, "verify")) {
                file.verify(watched);
            }
            if (file.findings().isEmpty()) {
                out.println(path + ": " + file.title() + ": whole");
                return ExitCode.OK;
            }
            print(out, path, file.findings());
            return ExitCode.DAMAGED;
        }
    }

    public static void print(PrintWriter out, Path path, Findings findings) {
        for (Finding finding : findings.list()) {
            out.println(path + ": " + finding);
        }
        long more = findings.count() - findings.list().size();
        if (more > 0) {
            out.println(path + ": and " + more + " more findings");
        }
    }
}
