package io.drumlin.cli.convert;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.GivenTypes;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.file.WatchedSource;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.fti.FtiFfCheckpoint;
import io.drumlin.cli.input.ChosenOption;
import io.drumlin.cli.input.MetadataOption;
import io.drumlin.cli.input.RunOption;
import io.drumlin.cli.inspect.VerifyCommand;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin convert}: converts an FTI-FF file for another release of C FTI, or any checkpoint to HDF5. */
@Command(
        name = "convert",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "With --to: writes an FTI-FF file in another layout, so that another release of C FTI can restart from it.",
            "The file is verified first, the new one is read back, and only then it appears or replaces OUT.",
            "What the new file lacks, or has although the old one had it not, is said on stdout.",
            "Without --to: writes an HDF5 file, for h5py, ParaView and others, with a dataset for each variable and rank of a"
                    + " checkpoint file, a run of FTI, a SION or a GSD file. OUT must not exist; its name ends with .h5"
                    + " or .hdf5."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:converted",
            "1:the file is damaged, one line per finding, or of a run the newest checkpoint; nothing was written",
            "2:not a file of a known format, with --to not a plain FTI-FF file; or too large for the layout",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
public final class ConvertCommand implements Callable<Integer> {

    /** C FTI's names of plain files and partner copies. */
    private static final Pattern NAME = Pattern.compile("Ckpt(\\d{1,9})-.*");

    private static final Pattern HDF5_NAME = Pattern.compile(".*\\.(h5|hdf5)");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "A checkpoint file or partner copy; without --to also a run of FTI.")
    @SuppressWarnings("NullAway.Init")
    private Path path;

    @Parameters(index = "1", paramLabel = "OUT", description = "The new file; with --to it may be FILE itself.")
    @SuppressWarnings("NullAway.Init")
    private Path output;

    @Option(
            names = "--to",
            paramLabel = "LAYOUT",
            description = "A: C FTI v1.1, B: v1.2, C: v1.3, D: v1.4.0, E: v1.4.1 to v1.6, F: head and Drumlin.")
    private @Nullable Layout layout;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description =
                    "The checkpoint's id, which files of layouts A and B do not hold. Default: that in FILE's name.")
    private @Nullable Integer id;

    @Option(
            names = "--type",
            paramLabel = "[NAME:]TYPE",
            description =
                    "Without --to: the type of data whose file does not have it, such as double; with a name such as"
                            + " var=1:double of one variable. May be given more than once; see extract. Default: bytes.")
    private @Nullable List<String> types;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private MetadataOption metadata;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private RunOption run;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private ChosenOption chosen;

    @Override
    public Integer call() throws IOException {
        if (layout != null) {
            if (types != null
                    || chosen.isGiven()
                    || metadata.path() != null
                    || run.config().isPresent()
                    || run.execId().isPresent()) {
                throw usage("--type, --meta, --config, --run and --checkpoint are of no use with --to");
            }
            return toLayout(layout);
        }
        if (!HDF5_NAME.matcher(String.valueOf(output.getFileName())).matches()) {
            throw usage("--to is missing: the layout of an FTI-FF file; or OUT does not end with .h5");
        }
        if (id != null) {
            throw usage("--id is of no use without --to");
        }
        spec.commandLine()
                .getOut()
                .println(Hdf5Conversion.convert(path, metadata, chosen.of(path, run), output, GivenTypes.of(types)));
        return ExitCode.OK;
    }

    private Integer toLayout(Layout layout) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (FileSource source = FileSource.open(path)) {
            RecognisedFile recognised = Formats.of(source);
            FtiFfFile file = plain(recognised);
            try (WatchedSource watched = WatchedSource.of(source, "verify")) {
                recognised.verify(watched);
            }
            if (!recognised.findings().isEmpty()) {
                VerifyCommand.print(out, path, recognised.findings());
                return ExitCode.DAMAGED;
            }
            FtiFfConversion conversion = conversion(file, layout);
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

    private FtiFfConversion conversion(FtiFfFile file, Layout layout) {
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
