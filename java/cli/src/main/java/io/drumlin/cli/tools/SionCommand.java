package io.drumlin.cli.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.Progress;
import io.drumlin.cli.base.ReplacedFile;
import io.drumlin.cli.file.FileSource;
import io.drumlin.cli.file.RecognisedFile;
import io.drumlin.cli.format.Formats;
import io.drumlin.cli.format.SionContainer;
import io.drumlin.cli.format.SionStreams;
import io.drumlin.format.sion.internal.SionMeta;
import io.drumlin.sion.KeyValueReader;
import io.drumlin.sion.SionCopy;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionReader;
import io.drumlin.sion.SionRepair;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin sion}: offers the operations of siondump, sionsplit, sioncat and siondefrag, and repair. */
@Command(
        name = "sion",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Works on files of SIONlib. Of a set of several physical files name the first one; any other"
                    + " one is taken alone."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the file is damaged or was never closed",
            "2:it does not hold what was asked for",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
public final class SionCommand implements Runnable {

    private static final int KIB = 1024;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is needed: dump, split, cat, defrag or repair");
    }

    @Command(
            name = "dump",
            mixinStandardHelpOptions = true,
            description = "Prints what siondump prints, of all physical files of a set together.")
    int dump(
            @Parameters(paramLabel = "FILE", description = "The file, or the first of a set.") Path file,
            @Option(names = "-a", description = "Show every task and its blocks.") boolean all,
            @Option(names = "-l", description = "With -a, sizes in bytes instead of MB.") boolean inBytes,
            @Option(names = "-m", description = "Show where each task of a set is.") boolean byTask,
            @Option(names = "-M", description = "Show the tasks of each file of a set.") boolean byFile,
            @Option(names = "-k", description = "Show every key of every task.") boolean keys,
            @Option(names = "-K", description = "Show every record of every task.") boolean records,
            @Option(names = "--json", description = "Print one JSON object with all but the records.") boolean json)
            throws IOException {
        try (FileSource source = FileSource.open(file);
                SionInput set = open(file)) {
            if ((keys || records) && !set.header().keyValue()) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED, file + " holds plain streams, not records with keys");
            }
            SionSummary summary = new SionSummary(set);
            if (json) {
                JsonGenerator generator = new JsonFactory()
                        .createGenerator(out())
                        .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                        .useDefaultPrettyPrinter();
                generator.writeStartObject();
                generator.writeStringField("path", file.toString());
                summary.write(generator);
                generator.writeEndObject();
                generator.close();
                out().println();
            } else {
                SionDump dump = new SionDump(set, summary, SionMeta.read(source).mapping(), out());
                dump.printHeader(file.toString());
                dump.printSums();
                if (all) {
                    dump.printBlocks(inBytes);
                }
                if (keys) {
                    dump.printKeys();
                }
                if (records) {
                    dump.printRecords();
                }
                dump.printFiles(byTask, byFile);
            }
            out().flush();
            return ExitCode.OK;
        }
    }

    @Command(
            name = "split",
            mixinStandardHelpOptions = true,
            description = {
                "Writes each task into a file of its own: PREFIX and five digits; in key/value mode one for each key"
                        + " of each task, with _ and the signed key after it."
            })
    int split(
            @Parameters(paramLabel = "FILE", description = "The file, or the first of a set.") Path file,
            @Parameters(paramLabel = "PREFIX", description = "What the new names begin with.") String prefix,
            @Option(names = "-d", paramLabel = "DIGITS", defaultValue = "5", description = "Digits of the number.")
                    int digits,
            @Option(names = "-g", description = "Number by the stored global rank, not by the task.") boolean global)
            throws IOException {
        if (digits < 1 || digits > 18) {
            throw new ParameterException(spec.commandLine(), "-d " + digits + " is not within 1 to 18");
        }
        try (SionInput set = open(file);
                Progress progress = Progress.of(bytes(set), "split")) {
            for (int task : set.tasks()) {
                long number = global ? set.globalRank(task) : task;
                String name = prefix + String.format(Locale.ROOT, "%0" + digits + "d", number);
                if (set.header().keyValue()) {
                    splitKeys(set.keyValueReader(task), name, progress);
                } else {
                    SionReader reader = set.reader(task);
                    write(Path.of(name), target -> SionStreams.copy(reader, target, progress::advance));
                }
                set.reader(task).close();
            }
        }
        return ExitCode.OK;
    }

    private static void splitKeys(KeyValueReader reader, String name, Progress progress) throws IOException {
        for (long key : reader.keys()) {
            Path path = Path.of(name + String.format(Locale.ROOT, "_%012d", key));
            write(path, target -> SionStreams.copy(reader, key, target, progress::advance));
        }
    }

    /** Fills a file. */
    private interface Content {
        void write(OutputStream target) throws IOException;
    }

    private static void write(Path path, Content content) throws IOException {
        try (ReplacedFile target = ReplacedFile.create(path)) {
            content.write(target.stream());
            target.commit();
        }
    }

    @Command(
            name = "cat",
            mixinStandardHelpOptions = true,
            description = "Writes the bytes of all tasks, one after the other, or of one task or one block of it.")
    int cat(
            @Parameters(paramLabel = "FILE", description = "The file, or the first of a set.") Path file,
            @Option(names = "-t", paramLabel = "TASK", description = "This task only.") @Nullable Integer task,
            @Option(names = "-b", paramLabel = "BLOCK", description = "This block of each task only.") @Nullable
                    Integer block,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FILE",
                            defaultValue = "-",
                            description = "Where to put it; stdout without it.")
                    String output)
            throws IOException {
        try (SionInput set = open(file);
                Progress progress = Progress.of(bytes(set), "cat")) {
            if (task != null && !set.tasks().contains(task)) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED,
                        file + " has no task " + task + "; it has 0 to " + (set.taskCount() - 1));
            }
            Content content = target -> {
                for (int each : set.tasks()) {
                    if (task == null || each == task) {
                        cat(set.reader(each), block, target, progress);
                        set.reader(each).close();
                    }
                }
            };
            if (output.equals("-")) {
                OutputStream stdout = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
                content.write(stdout);
                stdout.flush();
            } else {
                write(Path.of(output), content);
            }
        }
        return ExitCode.OK;
    }

    private static void cat(SionReader reader, @Nullable Integer block, OutputStream target, Progress progress)
            throws IOException {
        if (block == null) {
            SionStreams.copy(reader, target, progress::advance);
        } else if (block >= 0 && block < reader.blocks()) {
            reader.seek(block, 0);
            SionStreams.copyBlock(reader, target);
        }
    }

    @Command(
            name = "defrag",
            mixinStandardHelpOptions = true,
            description = "Rewrites a file or a set as one file in which every task has one chunk.")
    int defrag(
            @Parameters(paramLabel = "FILE", description = "The file, or the first of a set.") Path file,
            @Parameters(paramLabel = "OUT", description = "The new file.") Path target,
            @Option(
                            names = "-q",
                            paramLabel = "BYTES",
                            description = "Block size of the new file; that of FILE without it, 1 leaves no gaps.")
                    @Nullable
                    Integer blockSize,
            @Option(names = "-Q", paramLabel = "MIB", description = "The same in MiB.") @Nullable Integer blockMib)
            throws IOException {
        if (blockSize != null && blockMib != null) {
            throw new ParameterException(spec.commandLine(), "-q and -Q exclude each other");
        }
        try (SionInput set = open(file);
                Progress progress = Progress.of(bytes(set), "defrag")) {
            for (int task : set.tasks()) {
                if (PathStatus.exists(target) && Files.isSameFile(target, set.path(task))) {
                    throw new CommandException(ExitCode.USAGE, target + " is a file that is read");
                }
            }
            int size = blockSize != null
                    ? blockSize
                    : blockMib != null
                            ? Math.multiplyExact(blockMib, KIB * KIB)
                            : set.header().fsBlockSize();
            if (size < 1) {
                throw new ParameterException(spec.commandLine(), "a block size above 0 is needed, not " + size);
            }
            SionCopy.defragment(set, target, size, SionContainer.options(), progress::advance);
        }
        return ExitCode.OK;
    }

    @Command(
            name = "repair",
            mixinStandardHelpOptions = true,
            description = {
                "Makes the metadata of a physical file that was never closed, as its job died. Data are not touched.",
                "How much each task wrote is not in such a file: zeros that a task wrote last in a chunk are lost, and"
                        + " data that were not on disk yet. Records with keys are followed to the last whole one. Of a"
                        + " set, each file is repaired by itself."
            })
    int repair(
            @Parameters(paramLabel = "FILE", description = "The physical file.") Path file,
            @Option(names = "--dry-run", description = "Only say what would be saved.") boolean dryRun)
            throws IOException {
        try (FileSource source = FileSource.open(file)) {
            if (!(Formats.of(source) instanceof SionContainer)) {
                throw new CommandException(ExitCode.NOT_RECOGNISED, file + " is no SION file");
            }
        }
        Optional<SionRepair> found = SionRepair.of(file, new NioEngine());
        if (found.isEmpty()) {
            out().println(file + ": was closed and needs no repair");
            return ExitCode.OK;
        }
        SionRepair repair = found.get();
        for (int task = 0; task < repair.meta1().tasks(); task++) {
            long[] sizes = repair.sizes(task);
            out().println("task " + task + ": " + LongStream.of(sizes).sum() + " bytes in " + sizes.length
                    + (sizes.length == 1 ? " block" : " blocks"));
        }
        repair.losses().forEach(loss -> out().println("lost: " + loss));
        if (!dryRun) {
            repair.apply();
            out().println(file + ": repaired");
        }
        return ExitCode.OK;
    }

    private static SionInput open(Path file) throws IOException {
        try (FileSource source = FileSource.open(file)) {
            RecognisedFile recognised = Formats.of(source);
            if (!(recognised instanceof SionContainer)) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED, file + " is no SION file but " + recognised.title());
            }
        }
        return SionFile.open(file, SionContainer.options());
    }

    private static long bytes(SionInput set) throws IOException {
        long bytes = 0;
        for (int task : set.tasks()) {
            bytes += set.reader(task).size();
        }
        return bytes;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
