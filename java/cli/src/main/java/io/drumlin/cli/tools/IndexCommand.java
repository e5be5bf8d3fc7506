package io.drumlin.cli.tools;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.input.PrefixDirectory;
import io.drumlin.format.kvtree.KvTreeText;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexListing;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.RestartSearch;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.scavenge.IndexOperations;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin index}: offers the operations of {@code scr_index}. */
@Command(
        name = "index",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        synopsisSubcommandLabel = "COMMAND",
        description = "Lists and changes the index of datasets in a prefix directory of SCR, in the form it is in.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the index or a summary is damaged; nothing was changed",
            "2:there is no dataset of this name or id, or it is not what is needed, or not whole; the index was not"
                    + " changed",
            "3:a file could not be read or written; the old index is there",
            "64:wrong command line"
        })
public final class IndexCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "A command is needed: list, show, add, build, drop or current");
    }

    /** The directory of the index. */
    static final class Prefix {

        @Option(
                names = {"-p", "--prefix"},
                paramLabel = "DIR",
                defaultValue = "",
                description = "The prefix directory; otherwise the working directory.")
        @SuppressWarnings("NullAway.Init")
        private Path path;

        ScrPrefix get() {
            return new ScrPrefix(path);
        }

        IndexFile file() {
            return new IndexFile(get(), new NioEngine());
        }

        IndexOperations operations() {
            return new IndexOperations(get(), new NioEngine());
        }
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the checkpoints as the scr_index of the release that wrote the index does.")
    int list(
            @Mixin Prefix prefix,
            @Option(
                            names = "--json",
                            description =
                                    "Print one JSON object with all datasets and the order in which a restart tries"
                                            + " them.")
                    boolean json)
            throws IOException {
        IndexFile file = prefix.file();
        ScrIndex index = file.read();
        if (json) {
            PrefixDirectory.write(out(), "index", file.path(), index);
        } else {
            IndexListing.lines(index).forEach(out()::println);
        }
        return ExitCode.OK;
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows all that the index says, of one dataset or of all.")
    int show(
            @Mixin Prefix prefix,
            @Parameters(arity = "0..1", paramLabel = "NAME", description = "The dataset.") String name,
            @Option(names = "--why", description = "Say which datasets a restart tries, and why not the others.")
                    boolean why)
            throws IOException {
        ScrIndex index = prefix.file().read();
        if (why) {
            explain(index);
        } else if (name == null) {
            KvTreeText.keyValues(index.tree()).forEach(out()::println);
        } else {
            IndexRecord record = index.record(name)
                    .orElseThrow(
                            () -> new CommandException(ExitCode.NOT_RECOGNISED, "the index knows no dataset " + name));
            out().println("dataset " + record.id() + ", " + name);
            KvTreeText.keyValues(record.tree()).forEach(out()::println);
        }
        return ExitCode.OK;
    }

    private void explain(ScrIndex index) {
        List<String> order = RestartSearch.order(index);
        out().println(
                        order.isEmpty()
                                ? "A restart finds nothing to try."
                                : "A restart tries, until one can be fetched:");
        int number = 1;
        for (String name : order) {
            boolean current =
                    number == 1 && index.current().filter(name::equals).isPresent();
            out().println("  " + number++ + ". " + Printable.text(name)
                    + (current ? current(index, name) : "  complete, not failed"));
        }
        Set<String> tried = new HashSet<>(order);
        List<IndexRecord> others = index.records().stream()
                .filter(record -> !tried.contains(record.name()))
                .toList();
        if (!others.isEmpty()) {
            out().println("It does not try:");
            others.forEach(record -> out().println("  " + Printable.text(record.name()) + "  " + whyNot(record)));
        }
    }

    private static String current(ScrIndex index, String name) {
        String state = index.record(name)
                .map(record -> record.isRestartable() ? "" : ", although " + whyNot(record))
                .orElse(", although the index does not know it");
        return "  CURRENT" + state;
    }

    private static String whyNot(IndexRecord record) {
        if (!record.isCheckpoint()) {
            return "it is no checkpoint";
        }
        if (!record.isComplete()) {
            return "it is not complete";
        }
        return record.isFailed()
                ? "a restart from it failed"
                        + record.failed()
                                .map(time -> " at " + Printable.text(time))
                                .orElse("")
                : "it is newer than CURRENT";
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Takes a dataset into the index whose summary is in the prefix directory.")
    int add(@Mixin Prefix prefix, @Parameters(paramLabel = "NAME", description = "The dataset.") String name)
            throws IOException {
        IndexOperations.Found found = prefix.operations().add(name);
        out().println("Found `" + name + "' as dataset " + found.id() + " at " + found.directory());
        out().println("Adding `" + name + "' to index");
        return ExitCode.OK;
    }

    @Command(
            name = "build",
            mixinStandardHelpOptions = true,
            description = {
                "Takes a dataset into the index that was saved from the caches of a job that died, as scr_copy saves"
                        + " it. Files of nodes that were lost are made again as far as the others allow it; if one is"
                        + " missing still, nothing is listed."
            })
    int build(
            @Mixin Prefix prefix,
            @Option(
                            names = "--moved-from",
                            paramLabel = "DIR",
                            description = "What the job called the prefix directory, if it was moved since.")
                    Path movedFrom,
            @Parameters(paramLabel = "ID", description = "Number of the dataset.") int id)
            throws IOException {
        SortedSet<Integer> rebuilt =
                prefix.operations().build(id, movedFrom == null ? prefix.get().path() : movedFrom.normalize());
        if (!rebuilt.isEmpty()) {
            out().println("Made the files of ranks " + rebuilt + " again");
        }
        return ExitCode.OK;
    }

    @Command(
            name = "drop",
            aliases = "remove",
            mixinStandardHelpOptions = true,
            description = "Takes a dataset out of the index. No file is deleted.")
    int drop(
            @Mixin Prefix prefix,
            @Option(names = "--after", description = "Take all newer datasets out, not this one.") boolean after,
            @Parameters(paramLabel = "NAME", description = "The dataset.") String name)
            throws IOException {
        if (after) {
            prefix.operations().dropAfter(name);
        } else {
            prefix.operations().drop(name);
        }
        return ExitCode.OK;
    }

    @Command(
            name = "current",
            mixinStandardHelpOptions = true,
            description = "Makes a checkpoint the first that a restart tries.")
    int current(
            @Mixin Prefix prefix,
            @Option(names = "--clear", description = "Let a restart begin with the newest.") boolean clear,
            @Parameters(arity = "0..1", paramLabel = "NAME", description = "The checkpoint.") String name)
            throws IOException {
        if (clear == (name != null)) {
            throw new ParameterException(spec.commandLine(), "Either NAME or --clear is needed");
        }
        if (clear) {
            prefix.file().update(ScrIndex::clearCurrent);
        } else {
            prefix.operations().current(name);
        }
        return ExitCode.OK;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
