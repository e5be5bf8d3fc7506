package io.drumlin.cli;

import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin convert}: converts an FTI-FF file for another release of C FTI. */
@Command(
        name = "convert",
        mixinStandardHelpOptions = true,
        versionProvider = DrumlinCommand.Version.class,
        description = {
            "Writes a checkpoint file in another layout, so that another release of C FTI can restart from it.",
            "The file is verified first, the new one is read back, and only then it appears or replaces OUT.",
            "What the new file lacks, or has although the old one had it not, is said on stdout."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:converted",
            "1:the file is damaged, one line per finding; nothing was written",
            "2:not a plain FTI-FF file, or too large for the layout",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
final class ConvertCommand implements Callable<Integer> {

    /** C FTI's names of plain files and partner copies. */
    private static final Pattern NAME = Pattern.compile("Ckpt(\\d{1,9})-.*");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "A checkpoint file or partner copy.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    @Parameters(index = "1", paramLabel = "OUT", description = "The new file; may be FILE itself.")
    @SuppressWarnings("NullAway.Init")
    private Path output;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "LAYOUT",
            description = "A: C FTI v1.1, B: v1.2, C: v1.3, D: v1.4.0, E: v1.4.1 to v1.6, F: head and Drumlin.")
    @SuppressWarnings("NullAway.Init")
    private Layout layout;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description =
                    "The checkpoint's id, which files of layouts A and B do not hold. Default: that in FILE's name.")
    private @Nullable Integer id;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (FileSource source = FileSource.open(path)) {
            RecognisedFile recognised = Format.of(source);
            FtiFfFile file = plain(recognised);
            try (WatchedSource watched = WatchedSource.of(source, "verify")) {
                recognised.verify(watched);
            }
            if (!recognised.findings().isEmpty()) {
                VerifyCommand.print(out, path, recognised.findings());
                return ExitCode.DAMAGED;
            }
            FtiFfConversion conversion = conversion(file);
            try (ReplacedFile target = ReplacedFile.create(output)) {
                try (WatchedSource watched = WatchedSource.of(source, "convert")) {
                    conversion.write(watched, target);
                }
                try (FileSource written = FileSource.open(target.place());
                        WatchedSource watched = WatchedSource.of(written, "read back")) {
                    conversion.check(watched);
                }
                target.commit();
            }
            out.println(output + ": FTI-FF layout " + layout + ", made of layout " + file.layout() + ": whole");
            conversion.differences().forEach(line -> out.println("  " + line));
            return ExitCode.OK;
        }
    }

    private FtiFfFile plain(RecognisedFile recognised) {
        if (!(recognised instanceof FtiFfCheckpoint checkpoint)) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, path + " is a " + recognised.title() + "; convert knows FTI-FF only");
        }
        if (checkpoint.file().encoded()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    path + " is a Reed-Solomon file: a code of the plain files of its group in their old layout."
                            + " Convert the plain files");
        }
        return checkpoint.file();
    }

    private FtiFfConversion conversion(FtiFfFile file) {
        int ckptId = FtiFfConversion.needsId(file, layout)
                ? idOrThatOfName()
                : file.meta().ckptId();
        if (id != null && (id != ckptId || !FtiFfConversion.needsId(file, layout))) {
            throw usage("--id " + id + ": only where FILE has no id and OUT needs one, and not below 0");
        }
        try {
            return new FtiFfConversion(file, layout, ckptId);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, path + ": " + e.getMessage());
        }
    }

    private int idOrThatOfName() {
        if (id != null) {
            return Math.max(id, 0);
        }
        Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
        if (!name.matches()) {
            throw usage(path + " does not hold the checkpoint's id and is not named Ckpt<id>-Rank<rank>.fti; say --id");
        }
        return Integer.parseInt(name.group(1));
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
