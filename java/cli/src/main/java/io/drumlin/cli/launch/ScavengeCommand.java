package io.drumlin.cli.launch;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.internal.Printable;
import io.drumlin.scr.internal.scavenge.CacheCopy;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin scavenge}: saves datasets of SCR from the caches of nodes. */
@Command(
        name = "scavenge",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Saves the datasets of SCR that are in the caches of nodes only, when their job has ended, as scr_postrun"
                    + " does: all output, and the newest checkpoint.",
            "Each node that answers copies what it has to the prefix directory. Files of lost nodes are made again as"
                    + " far as the others allow it, and the dataset is listed in the index if it is whole.",
            "Nodes are those of --hostfile, or of the allocation of Slurm; without either, this machine is the only"
                    + " one. drumlin launch does this by itself. No job may run in the prefix directory meanwhile."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, or there was nothing to do",
            "1:a dataset could not be saved; its scavenge_end, or scavenge_failed, says why",
            "3:the host file or the log cannot be used",
            "64:wrong command line or host file"
        })
public final class ScavengeCommand implements Callable<Integer> {

    /** Longest time for which a node may say nothing, in seconds, as an option has it. */
    static final String PATIENCE = "120";

    private static final long NANOS_BETWEEN_WORDS = TimeUnit.SECONDS.toNanos(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-p", "--prefix"},
            paramLabel = "DIR",
            description = "The prefix directory; otherwise SCR_PREFIX, or the working directory.")
    private @Nullable Path prefix;

    @Option(names = "--hostfile", paramLabel = "FILE", description = "The nodes, as drumlin launch reads them.")
    private @Nullable Path hostFile;

    @Option(
            names = "--probe",
            paramLabel = "COMMAND",
            description = "COMMAND NODE PROGRAM runs a program on a node. Otherwise srun under Slurm, or ssh.")
    private @Nullable String probe;

    @Option(
            names = "--scavenge-timeout",
            paramLabel = "SECONDS",
            defaultValue = PATIENCE,
            description = "Leave out a node that says nothing for so long (default: ${DEFAULT-VALUE}).")
    private int patience;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Append the events to FILE, a JSON object a line; otherwise they go to stdout.")
    private @Nullable Path log;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (patience < 1) {
            throw new ParameterException(spec.commandLine(), "--scavenge-timeout must be 1 or more");
        }
        JobCommand job = new JobCommand(List.of(), JobCommand.Launcher.OTHER);
        NodePool pool = NodePool.of(hostFile, System.getenv(), null, job, probe);
        try (LaunchLog events = LaunchLog.to(log, spec.commandLine().getOut())) {
            Scavenger scavenger = new Scavenger(prefix(prefix), Duration.ofSeconds(patience), events);
            return scavenger.run(pool, true) ? ExitCode.OK : ExitCode.DAMAGED;
        }
    }

    /** Returns the prefix directory that an option names, or the job. */
    static ScrPrefix prefix(@Nullable Path option) {
        return new ScrPrefix(option == null ? Path.of(System.getenv().getOrDefault("SCR_PREFIX", "")) : option);
    }

    @Command(
            name = "copy",
            hidden = true,
            mixinStandardHelpOptions = true,
            description =
                    "Copies what this machine has of a dataset, for drumlin scavenge, which starts it on each node.")
    int copy(
            @Option(names = "--prefix", required = true) Path into,
            @Option(names = "--control", required = true) Path control,
            @Parameters(paramLabel = "ID") int id) {
        PrintWriter out = spec.commandLine().getOut();
        try {
            CacheCopy.Outcome copied =
                    new CacheCopy(new ScrPrefix(into), control, new NioEngine()).copy(id, progressTo(out));
            String kind = copied.contested() ? NodeCopies.CONTESTED : NodeCopies.PROBLEM;
            copied.problems().forEach(problem -> say(out, kind, Printable.text(problem)));
            copied.ranks().forEach(rank -> say(out, NodeCopies.RANK, rank));
            say(out, NodeCopies.FILES, copied.files());
            say(out, NodeCopies.BYTES, copied.bytes());
            say(out, NodeCopies.END, "");
            return ExitCode.OK;
        } catch (IOException e) {
            say(out, NodeCopies.PROBLEM, Printable.text(String.valueOf(e.getMessage())));
            say(out, NodeCopies.END, "");
            return ExitCode.IO_ERROR;
        }
    }

    /** Says from time to time that it goes on. Ends the command if nobody listens any more. */
    private static LongConsumer progressTo(PrintWriter out) {
        long[] last = {System.nanoTime()};
        return bytes -> {
            if (System.nanoTime() - last[0] > NANOS_BETWEEN_WORDS) {
                last[0] = System.nanoTime();
                say(out, NodeCopies.PROGRESS, "");
                if (out.checkError()) {
                    throw new CommandException(ExitCode.IO_ERROR, "the scavenge has ended without this node");
                }
            }
        };
    }

    private static void say(PrintWriter out, String word, Object value) {
        out.println(NodeCopies.MARK + word + " " + value);
        out.flush();
    }
}
