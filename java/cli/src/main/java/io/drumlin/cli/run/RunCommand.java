package io.drumlin.cli.run;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Deleted;
import io.drumlin.checkpoint.RunCatalogue.Restored;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.RunReport.State;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.Progress;
import io.drumlin.cli.base.Sizes;
import io.drumlin.cli.input.RunConfigs;
import io.drumlin.internal.Printable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code drumlin run}: lists the checkpoints of all runs of a configuration file, restores and deletes them. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Lists the checkpoints of all runs of FTI that a configuration file has, lets the job go on from one of them,"
                    + " and deletes those that are not needed.",
            "What changes a run is refused while a job has it open."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done; of list, everything that was looked at is whole",
            "1:of list and show, a checkpoint is damaged or cannot be looked at; of ended, it has not; of prune, a run was"
                    + " left as it is",
            "2:there is no such run or checkpoint, or it is refused; nothing was changed",
            "3:a file could not be read or written",
            "64:wrong command line, or --yes is needed"
        })
public final class RunCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "A command is needed: list, show, ended, restore, delete or prune");
    }

    /** What to do with the runs of a configuration file. */
    @FunctionalInterface
    private interface Work {
        int on(RunCatalogue catalogue) throws IOException;
    }

    /** An error with an errno comes from a file; any other is a refusal. */
    private int with(RunConfigs config, Work work) throws IOException {
        try {
            int exitCode = work.on(RunConfigs.open(config.file()));
            out().flush();
            return exitCode;
        } catch (DrumlinException e) {
            if (e.errno() != null) {
                throw e;
            }
            throw new CommandException(ExitCode.NOT_RECOGNISED, Printable.text(String.valueOf(e.getMessage())));
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "Lists every checkpoint of every run. Reads the metadata only, unless --data is given.",
                "Of a folder it lists the runs of all configuration files in it and in the folders below it."
            })
    int list(
            @Mixin RunConfigs config,
            @Option(names = "--data", description = "Read and verify all data.") boolean data,
            @Option(names = "--json", description = "Print one JSON object, with the starts of the job.") boolean json)
            throws IOException {
        if (!config.isFolder()) {
            return with(config, catalogue -> print(config.file(), catalogue, runs(catalogue, data), json));
        }
        List<Path> configs = config.all();
        if (json && configs.size() > 1) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, "--json is for one configuration file; name one of " + configs);
        }
        Set<Path> listed = new HashSet<>();
        int exitCode = ExitCode.OK;
        for (Path each : configs) {
            exitCode = Math.max(exitCode, list(each, listed, data, json));
        }
        out().flush();
        return exitCode;
    }

    /**
     * Lists the runs of one of several configuration files. Those that were listed with another one are left out, if this
     * one does not name them.
     *
     * @param listed the directories of the runs that were listed; gets those of these
     */
    private int list(Path config, Set<Path> listed, boolean data, boolean json) throws IOException {
        if (!listed.isEmpty() && !json) {
            out().println();
        }
        try {
            RunCatalogue catalogue = RunConfigs.open(config);
            List<Run> runs = new ArrayList<>();
            for (Run each : runs(catalogue, data)) {
                boolean isNew = listed.add(
                        catalogue.metadata().toAbsolutePath().normalize().resolve(each.execId()));
                if (isNew || each.isNamed()) {
                    runs.add(each);
                }
            }
            return print(config, catalogue, runs, json);
        } catch (DrumlinException e) {
            out().println(Printable.text(config + ": ? " + e.getMessage()));
            return ExitCode.DAMAGED;
        }
    }

    private List<Run> runs(RunCatalogue catalogue, boolean data) throws IOException {
        return watched(data, catalogue, RunCommand::bytes, watched -> watched.runs(data));
    }

    private int print(Path config, RunCatalogue catalogue, List<Run> runs, boolean json) throws IOException {
        RunListing listing = new RunListing(config, catalogue, runs);
        if (json) {
            listing.write(out());
        } else {
            listing.print(out());
        }
        return listing.isWhole() ? ExitCode.OK : ExitCode.DAMAGED;
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows everything that is known of a checkpoint, with the start of the job that took it.")
    int show(
            @Mixin RunConfigs config,
            @Option(names = "--checkpoint", paramLabel = "ID", required = true, description = "The checkpoint.")
                    int ckptId,
            @Option(
                            names = "--run",
                            paramLabel = "EXEC_ID",
                            defaultValue = "",
                            description = "The run. Without this the one that CONFIG names.")
                    String execId,
            @Option(names = "--data", description = "Read and verify all data of the run.") boolean data,
            @Option(names = "--json", description = "Print one JSON object.") boolean json)
            throws IOException {
        return with(config, catalogue -> {
            String chosen = run(execId, catalogue);
            Run run = watched(
                    data,
                    catalogue,
                    quick -> bytes(List.of(quick.run(chosen, false))),
                    watched -> watched.run(chosen, data));
            List<Checkpoint> found = run.checkpoints().stream()
                    .filter(each -> each.ckptId() == ckptId)
                    .toList();
            if (found.isEmpty()) {
                throw new CommandException(
                        ExitCode.NOT_RECOGNISED, "run " + run.execId() + " has no checkpoint " + ckptId);
            }
            Run shown = new Run(
                    run.execId(), run.isNamed(), run.isOpen(), run.parent(), run.parentCkptId(), found, run.problem());
            RunListing listing = new RunListing(config.file(), catalogue, List.of(shown));
            if (json) {
                listing.write(out());
            } else {
                listing.show(out());
            }
            return found.stream().allMatch(each -> each.state() == State.WHOLE) ? ExitCode.OK : ExitCode.DAMAGED;
        });
    }

    private static String run(String given, RunCatalogue catalogue) {
        String execId = given.isEmpty() ? catalogue.execId() : given;
        if (execId.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, "no run was started with this configuration file; say --run EXEC_ID");
        }
        return execId;
    }

    @Command(
            name = "ended",
            mixinStandardHelpOptions = true,
            description = {
                "Says whether the run was completed, for scripts: exit code 0 if it was, 1 if not.",
                "The status of mpirun does not say it: Open MPI 5 ends with 0 when a host is lost."
            })
    int ended(@Mixin RunConfigs config) throws IOException {
        return with(config, catalogue -> {
            boolean ended = catalogue.hasEnded();
            out().println(Printable.text(config.file() + ": run " + catalogue.execId()
                    + (ended ? " was completed" : " was not completed, failure = " + catalogue.failure())));
            return ended ? ExitCode.OK : ExitCode.DAMAGED;
        });
    }

    /** Which checkpoint. */
    static final class Choice {

        @Option(names = "--checkpoint", paramLabel = "ID", required = true, description = "The checkpoint.")
        private int ckptId = -1;

        @Option(
                names = "--before",
                paramLabel = "TIME",
                required = true,
                description = "The latest before TIME: YYYY-MM-DDTHH:MM:SS, local, or with Z or an offset at the end.")
        private String before = "";
    }

    @Command(
            name = "restore",
            mixinStandardHelpOptions = true,
            description = {
                "Lets the next start of the job begin with a checkpoint, which is verified first.",
                "The run becomes a branch, and the other run stays as it is. Of CONFIG, only exec_id and failure change."
            })
    int restore(
            @Mixin RunConfigs config,
            @ArgGroup(multiplicity = "1") Choice choice,
            @Option(
                            names = "--run",
                            paramLabel = "EXEC_ID",
                            defaultValue = "",
                            description = "The run that has it. Without this the one that CONFIG names.")
                    String execId,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            description = "Name of the branch. Without this one is made: EXEC_ID-from-ID.")
                    String name)
            throws IOException {
        return with(config, catalogue -> {
            String run = run(execId, catalogue);
            try {
                say(config.file(), restore(catalogue, run, choice, name));
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
            }
            return ExitCode.OK;
        });
    }

    private Restored restore(RunCatalogue catalogue, String run, Choice choice, String name) throws IOException {
        if (choice.before.isEmpty()) {
            return watched(
                    true,
                    catalogue,
                    quick -> largest(quick.run(run, false), each -> each.ckptId() == choice.ckptId),
                    watched -> watched.restore(run, choice.ckptId, name));
        }
        Instant time = time(choice.before);
        return watched(
                true,
                catalogue,
                quick -> largest(quick.run(run, false), each -> true),
                watched -> watched.restoreLatestBefore(run, time, name));
    }

    /** Returns the bytes of the largest checkpoint that may be chosen, of which it is not known yet which it is. */
    private static long largest(Run run, Predicate<Checkpoint> mayBe) {
        return run.checkpoints().stream()
                .filter(mayBe)
                .mapToLong(Checkpoint::bytes)
                .max()
                .orElse(0);
    }

    /** Returns the bytes that are read if all data of runs are verified. */
    private static long bytes(List<Run> runs) {
        return runs.stream()
                .flatMap(run -> run.checkpoints().stream())
                .filter(Checkpoint::isRecoverable)
                .mapToLong(Checkpoint::bytes)
                .sum();
    }

    private static long bytes(RunCatalogue catalogue) throws IOException {
        return bytes(catalogue.runs(false));
    }

    /** A number of bytes that is read. */
    @FunctionalInterface
    private interface Bytes {
        long of(RunCatalogue catalogue) throws IOException;
    }

    /** Work that may read data. */
    @FunctionalInterface
    private interface Reading<T> {
        T with(RunCatalogue catalogue) throws IOException;
    }

    /**
     * Shows how much of the data is read.
     *
     * @param data whether data are read
     * @param bytes how many will be, if there is a terminal
     */
    private static <T> T watched(boolean data, RunCatalogue catalogue, Bytes bytes, Reading<T> work)
            throws IOException {
        try (Progress progress = Progress.of(() -> data ? bytes.of(catalogue) : 0, "verify")) {
            return work.with(catalogue.watchedBy(progress::advance));
        }
    }

    private void say(Path config, Restored restored) {
        out().println(Printable.text(config + ": the next start begins with checkpoint " + restored.ckptId()
                + " of run " + restored.parent() + ", which was verified, as run " + restored.branch()));
        out().println(Printable.text("Run " + restored.parent() + " stays as it is. To go back to what "
                + config.getFileName() + " said, set exec_id = " + restored.formerExecId() + " and failure = "
                + restored.formerFailure()));
    }

    private Instant time(String text) {
        try {
            boolean isLocal = text.matches(".*T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?");
            return isLocal
                    ? LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant()
                    : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new ParameterException(
                    spec.commandLine(), "--before " + text + ": a time is needed, such as 2027-03-01T12:00:00", e);
        }
    }

    @Command(
            name = "delete",
            mixinStandardHelpOptions = true,
            description = {
                "Deletes a checkpoint in the archive of level 4 or one that nodes have kept, or without --checkpoint a"
                        + " whole run.",
                "Lists what goes, and on a terminal asks first. Files that a branch shares stay there."
            })
    int delete(
            @Mixin RunConfigs config,
            @Option(names = "--run", paramLabel = "EXEC_ID", required = true, description = "The run.") String execId,
            @Option(names = "--checkpoint", paramLabel = "ID", description = "The checkpoint.") Integer ckptId,
            @Option(names = "--force", description = "Delete the run also if the next start would restart from it.")
                    boolean force,
            @Option(names = "--yes", description = "Do not ask.") boolean yes,
            @Option(names = "--dry-run", description = "Change nothing, and say what would go.") boolean dryRun,
            @Mixin RunHosts hosts)
            throws IOException {
        if (hosts.isGiven() && ckptId != null) {
            throw new ParameterException(spec.commandLine(), "--hosts is for whole runs, without --checkpoint");
        }
        return with(config, catalogue -> {
            Deleted plan = delete(catalogue, execId, ckptId, force, true);
            String what = ckptId == null ? "run " + execId : "checkpoint " + ckptId + " of run " + execId;
            plan.remains().forEach(each -> out().println(Printable.text("would go: " + each)));
            List<String> always = force ? List.of("--force") : List.of();
            requireAll(hosts.delete(config.file(), execId, with(always, "--dry-run"), out()));
            if (dryRun) {
                out().println("would free: " + Sizes.readable(plan.bytes()));
                return ExitCode.OK;
            }
            confirm(what + " is to be deleted, which frees " + Sizes.readable(plan.bytes()), yes);
            Deleted done = delete(catalogue, execId, ckptId, force, false);
            out().println(Printable.text(what + " is deleted; freed: " + Sizes.readable(done.bytes())));
            List<String> elsewhere = done.elsewhere();
            if (hosts.isGiven() && !elsewhere.isEmpty()) {
                hosts.delete(config.file(), execId, with(always, "--yes"), out());
                // The last of them may not have known that it was the last.
                elsewhere = catalogue.remains().contains(deleted(catalogue, execId))
                        ? delete(catalogue, execId, null, force, false).elsewhere()
                        : List.of();
            }
            if (!elsewhere.isEmpty()) {
                out().println(Printable.text(RunHosts.NOT_SEEN + "the run's directories below ckpt_dir on "
                        + RunListing.first(elsewhere) + ". Run this command there too, or with --hosts. The name "
                        + "of the run stays taken until then: " + deleted(catalogue, execId)));
            }
            return ExitCode.OK;
        });
    }

    private static List<String> with(List<String> options, String option) {
        return Stream.concat(options.stream(), Stream.of(option)).toList();
    }

    private static Path deleted(RunCatalogue catalogue, String execId) {
        return catalogue.metadata().resolve(execId + ".drumlin-deleted");
    }

    private static void requireAll(List<String> failed) {
        if (!failed.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED,
                    "nothing was deleted, because it cannot be told what would go on " + String.join(", ", failed)
                            + "; mend that, or take them out of the file of hosts");
        }
    }

    private static Deleted delete(
            RunCatalogue catalogue, String execId, @Nullable Integer ckptId, boolean force, boolean dryRun)
            throws IOException {
        return ckptId == null ? catalogue.deleteRun(execId, force, dryRun) : catalogue.delete(execId, ckptId, dryRun);
    }

    private void confirm(String question, boolean yes) throws IOException {
        if (yes) {
            return;
        }
        if (!Progress.isTerminal(0)) {
            throw new CommandException(ExitCode.USAGE, "without a terminal --yes is needed; nothing was deleted");
        }
        out().print(Printable.text(question) + ". Go on? [y/N] ");
        out().flush();
        String answer = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
        if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).startsWith("y")) {
            throw new CommandException(ExitCode.NOT_RECOGNISED, "nothing was deleted");
        }
    }

    /** Which checkpoints are kept. */
    static final class Kept {

        @Option(names = "--keep", paramLabel = "N", description = "Keep the N newest checkpoints of level 4.")
        private @Nullable String keep;

        @Option(names = "--keep-every", paramLabel = "T", description = "Keep older ones that are T apart, such as 6h.")
        private @Nullable String every;

        @Option(names = "--keep-size", paramLabel = "S", description = "Keep no more than S, such as 2T.")
        private @Nullable String size;

        Rule rule() {
            return new Rule(keep, every, size);
        }
    }

    @Command(
            name = "prune",
            mixinStandardHelpOptions = true,
            description = {
                "Deletes archived checkpoints of level 4 that are not to be kept; without options by the keys keep,"
                        + " keep_every and keep_size of CONFIG. Only whole ones are counted and deleted.",
                "Deletes on the nodes of this machine what keep_l1, keep_l2 and keep_l3 of CONFIG do not keep. Of a level"
                        + " without its key only the newest stays.",
                "Also finishes interrupted deletions, and deletes half-made branches that nobody is making."
            })
    int prune(
            @Mixin RunConfigs config,
            @Mixin Kept kept,
            @Option(
                            names = "--run",
                            paramLabel = "EXEC_ID",
                            defaultValue = "",
                            description = "The run. Without this the one that CONFIG names.")
                    String execId,
            @Option(names = "--all", description = "All runs.") boolean all,
            @Option(names = "--dry-run", description = "Change nothing, and say what would go.") boolean dryRun)
            throws IOException {
        if (all && !execId.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Either --run or --all");
        }
        return with(config, catalogue -> {
            List<String> runs =
                    all ? catalogue.runs(false).stream().map(Run::execId).toList() : List.of(run(execId, catalogue));
            Deleted done = catalogue.prune(runs, kept.rule(), dryRun);
            String verb = dryRun ? "would go" : "deleted";
            done.remains().forEach(each -> out().println(Printable.text(verb + ": what is left in " + each)));
            done.what().forEach(each -> out().println(Printable.text(verb + ": checkpoint " + each)));
            done.refused().forEach(each -> out().println(Printable.text("left as it is: run " + each)));
            out().println((dryRun ? "would free: " : "freed: ") + Sizes.readable(done.bytes()));
            return done.refused().isEmpty() ? ExitCode.OK : ExitCode.DAMAGED;
        });
    }
}
