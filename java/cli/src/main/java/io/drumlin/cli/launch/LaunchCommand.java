package io.drumlin.cli.launch;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.RunCatalogue.Restored;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.input.RunConfigs;
import io.drumlin.scr.internal.store.ScrPrefix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin launch}: starts a job again after failures, on the nodes that are left. */
@Command(
        name = "launch",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Starts a job by mpirun, mpiexec or srun, and again after a failure, on nodes that answer.",
            "Nodes are those of --hostfile, or of the allocation of Slurm. The job gets the first --nodes of them that"
                    + " are up; the others are spare.",
            "The mpirun of Open MPI gets options with which it notices within 20 seconds that a node has lost its power.",
            "A job that ends with status 0 is done; with --config also the run must have been completed, because"
                    + " Open MPI 5 ends with 0 when a host is lost. A job that ends with 75 has stopped before its end,"
                    + " with a checkpoint, and is not started again here.",
            "SIGUSR1, SIGXCPU and SIGALRM go to the job, SIGUSR2 if the JVM lets it.",
            "Datasets of SCR that are in the caches of nodes only are saved in the end, as by drumlin scavenge."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the job is done",
            "1:the job failed as often as --tries allows, or too few nodes were up",
            "3:the command, the host file or the log cannot be used",
            "64:wrong command line or host file, or Slurm does not say how many ranks a node has",
            "75:the job stopped before its end: start it again later"
        })
public final class LaunchCommand implements Callable<Integer> {

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--hostfile",
            paramLabel = "FILE",
            description =
                    "The nodes, as Open MPI or MPICH reads them: a line for each, NAME slots=RANKS or NAME:RANKS. A line"
                            + " without a number is a rank. Under Slurm they are known.")
    private @Nullable Path hostFile;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "How many nodes the job needs; otherwise all. The others are spare.")
    private @Nullable Integer nodes;

    @Option(
            names = "--tries",
            paramLabel = "N",
            defaultValue = "10",
            description = "Give up after N failures; with --config or --scr-prefix, after N without a new checkpoint"
                    + " (default: ${DEFAULT-VALUE}).")
    private int tries;

    @Option(
            names = "--back-off",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "Wait before the second start, and twice as long before each further one, at most 5 minutes"
                    + " (default: ${DEFAULT-VALUE}).")
    private int backOff;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The run's configuration file, which tells whether there are new checkpoints, and whether the"
                    + " run was completed.")
    private @Nullable Path config;

    @Option(
            names = "--poison",
            paramLabel = "N",
            description = "After N failed restarts without a new checkpoint go back to an older one, which this machine"
                    + " sees, as by drumlin run restore. The run stays as it is. Needs --config.")
    private @Nullable Integer poison;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "End a job that for so long since its start neither opened its run nor began or completed a"
                    + " checkpoint, or with SCR completed none, and start it again. Needs --config or"
                    + " --scr-prefix.")
    private @Nullable Integer timeout;

    @Option(
            names = "--probe",
            paramLabel = "COMMAND",
            description =
                    "COMMAND NODE PROGRAM runs a program on a node; a node on which true succeeds is up. Otherwise"
                            + " the agent that mpirun is given (plm_rsh_agent), sinfo and srun under Slurm, or ssh.")
    private @Nullable String probe;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Append the events to FILE, a JSON object a line; otherwise they go to stderr.")
    private @Nullable Path log;

    @Option(
            names = "--scr-prefix",
            paramLabel = "DIR",
            description =
                    "The prefix directory of a job of SCR; otherwise SCR_PREFIX, or the working directory. What is"
                            + " in the caches of nodes only is saved there when the job is not started again. With"
                            + " this option its datasets count as checkpoints.")
    private @Nullable Path scrPrefix;

    @Option(names = "--no-scavenge", description = "Leave datasets of SCR in the caches of nodes.")
    private boolean noScavenge;

    @Option(
            names = "--scavenge-timeout",
            paramLabel = "SECONDS",
            defaultValue = ScavengeCommand.PATIENCE,
            description = "Leave out a node that says nothing for so long while it is saving (default:"
                    + " ${DEFAULT-VALUE}).")
    private int patience;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "mpirun, mpiexec or srun, with arguments.")
    private List<String> command = List.of();

    /** Batch systems number their jobs; this is no such number. */
    private final String id = UUID.randomUUID().toString();

    private boolean wasStarted;

    /** The job that runs now. */
    private volatile @Nullable LaunchedJob running;

    /** What the configuration file said before the last start; null before the first. */
    private LaunchedRun.@Nullable Entry before;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (tries < 1
                || backOff < 0
                || patience < 1
                || (nodes != null && nodes < 1)
                || (timeout != null && timeout < 1)
                || (poison != null && poison < 1)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--tries, --nodes, --timeout, --poison and --scavenge-timeout must be 1 or more, --back-off 0 or"
                            + " more");
        }
        if (poison != null && config == null) {
            throw new ParameterException(spec.commandLine(), "--poison needs --config, to look for older checkpoints");
        }
        if (timeout != null && config == null && scrPrefix == null) {
            throw new ParameterException(
                    spec.commandLine(), "--timeout needs --config or --scr-prefix, to look for checkpoints");
        }
        try (LaunchLog events = LaunchLog.to(log, spec.commandLine().getErr())) {
            return launch(events);
        }
    }

    private int launch(LaunchLog events) throws IOException, InterruptedException {
        wasStarted = false;
        JobCommand job = JobCommand.of(command);
        if (job.launcher() == JobCommand.Launcher.HYDRA && timeout == null) {
            events.write(
                    "warning",
                    Map.of(
                            "text",
                            "mpiexec (Hydra) does not notice that a node has lost its power: give --timeout, with"
                                    + " --config or --scr-prefix"));
        }
        if (config != null && Files.exists(config)) {
            // Refuses at once what would never tell the end of the run.
            RunConfigs.open(config);
        }
        PassedSignals.receive(signal -> pass(signal, events));
        before = config == null || log == null ? null : LaunchLog.killedStart(log, config);
        if (log != null && before != null) {
            awaitOrphan(LaunchLog.orphan(log), events);
        }
        NodePool pool = NodePool.of(hostFile, System.getenv(), nodes, job, probe);
        Scavenger scavenger = noScavenge
                ? null
                : new Scavenger(ScavengeCommand.prefix(scrPrefix), Duration.ofSeconds(patience), events);
        int status = launch(job, pool, scavenger, events);
        if (scavenger != null) {
            scavenger.run(pool, true);
        }
        return status;
    }

    /**
     * Waits for the end of a job that outlived its launch. If it completed the run while the next one gets its nodes, that would
     * begin another.
     */
    private static void awaitOrphan(Optional<ProcessHandle> orphan, LaunchLog events) throws IOException {
        if (orphan.isPresent()) {
            events.write(
                    "waiting",
                    Map.of(
                            LaunchLog.PID,
                            orphan.get().pid(),
                            "text",
                            "the job of a launch that was killed runs: waiting for its end"));
            orphan.get().onExit().join();
        }
    }

    private int launch(JobCommand job, NodePool pool, @Nullable Scavenger scavenger, LaunchLog events)
            throws IOException, InterruptedException {
        CheckpointWatch watch = new CheckpointWatch(config, scrPrefix == null ? null : new ScrPrefix(scrPrefix));
        LaunchedRun run = config == null ? null : new LaunchedRun(config);
        int failures = 0;
        int restarts = 0;
        while (true) {
            LaunchedRun.Entry then = before;
            before = run == null ? null : run.entry(events);
            if (run != null && before != null && then != null && !before.equals(then) && run.hasEnded(events)) {
                events.write(
                        "done",
                        Map.of(
                                "text",
                                "run " + before.execId()
                                        + " was completed by a start that failed after its end or outlived its launch; to"
                                        + " begin another one, empty exec_id in the configuration file"));
                return 0;
            }
            Optional<List<NodePool.Node>> chosen = choose(pool, scavenger, events);
            if (chosen.isPresent()) {
                int status = run(job.on(chosen.get()), chosen.get(), watch, events);
                if (status == Checkpoints.COME_AGAIN || (status == 0 && isComplete(run, chosen.get(), pool, events))) {
                    events.write(status == 0 ? "done" : "come_again", Map.of());
                    return status;
                }
            }
            boolean isNew = watch.hasNewSinceLastCall();
            failures = isNew ? 1 : failures + 1;
            if (isNew) {
                pool.keep();
                restarts = 0;
            } else if (chosen.isPresent()) {
                pool.fail();
                restarts += before != null && before.failure() != 0 ? 1 : 0;
            }
            if (failures >= tries) {
                events.write("given_up", Map.of("failures", failures));
                return ExitCode.DAMAGED;
            }
            if (run != null && poison != null && restarts >= poison) {
                stepOver(run, restarts, events);
                restarts = 0;
            }
            pause(failures, events);
        }
    }

    /** Returns whether the run of a job that ended with status 0 was completed. */
    private boolean isComplete(@Nullable LaunchedRun run, List<NodePool.Node> nodes, NodePool pool, LaunchLog events)
            throws IOException, InterruptedException {
        if (run == null) {
            return true;
        }
        LaunchedRun.Entry now = run.entry(events);
        boolean complete = run.hasEnded(events);
        Map<String, Object> details = new HashMap<>(Map.of("config", String.valueOf(config)));
        if (now != null) {
            details.put("failure", now.failure());
        }
        if (complete && now != null && now.equals(before)) {
            // The file does not tell a run that went on from its kept end from one that was not opened.
            Optional<NodePool.Choice> left = ask(pool, events);
            List<String> lost = left.stream()
                    .flatMap(choice -> choice.down().stream())
                    .filter(name -> nodes.stream().anyMatch(node -> node.name().equals(name)))
                    .toList();
            complete = left.isPresent() && lost.isEmpty();
            details.put("lost", lost);
        }
        if (!complete) {
            events.write("not_completed", details);
        }
        return complete;
    }

    /** A checkpoint from which the program cannot go on. The run that has it stays. */
    private static void stepOver(LaunchedRun run, int restarts, LaunchLog events) throws IOException {
        try {
            Optional<Restored> older = run.stepOver();
            events.write(
                    older.isPresent() ? "stepped_over" : "no_older_checkpoint",
                    older.isPresent()
                            ? Map.of(
                                    "failed_restarts",
                                    restarts,
                                    "run",
                                    older.get().parent(),
                                    "checkpoint",
                                    older.get().ckptId(),
                                    "branch",
                                    older.get().branch(),
                                    "undo",
                                    "exec_id = " + older.get().formerExecId() + ", failure = "
                                            + older.get().formerFailure())
                            : Map.of("failed_restarts", restarts));
        } catch (IOException e) {
            events.write("no_older_checkpoint", Map.of("error", String.valueOf(e.getMessage())));
        }
    }

    private void pass(String signal, LaunchLog events) {
        LaunchedJob job = running;
        try {
            events.write("signal", Map.of("name", "SIG" + signal, "passed_on", job != null));
            if (job != null) {
                job.pass(signal);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the nodes of the next start; empty if there can be none now. */
    private Optional<List<NodePool.Node>> choose(NodePool pool, @Nullable Scavenger scavenger, LaunchLog events)
            throws IOException, InterruptedException {
        Optional<NodePool.Choice> asked = ask(pool, events);
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        NodePool.Choice choice = asked.get();
        if (!choice.down().isEmpty()) {
            events.write("nodes_down", Map.of("nodes", choice.down()));
        }
        if (choice.suspect() != null) {
            events.write(
                    "node_suspected",
                    Map.of(
                            "node",
                            choice.suspect(),
                            "reason",
                            pool.failures()
                                    + " starts in a row failed without a new checkpoint, on nodes that answer: one of"
                                    + " them may be bad, so a spare node takes the place of another one each time"));
        }
        if (choice.missing() > 0) {
            events.write("too_few_nodes", Map.of("missing", choice.missing()));
        }
        boolean endangered = choice.missing() > 0 || !choice.leaving().isEmpty();
        if (scavenger != null && endangered) {
            // The next start may never come, or come without the caches of these nodes.
            scavenger.run(pool, false);
        }
        return choice.missing() > 0 ? Optional.empty() : Optional.of(choice.nodes());
    }

    /** Asks which nodes are up; empty if that cannot be told, such as after a timeout of Slurm's controller. */
    private static Optional<NodePool.Choice> ask(NodePool pool, LaunchLog events)
            throws IOException, InterruptedException {
        try {
            return Optional.of(pool.choose());
        } catch (IOException e) {
            // If it stays, the job is given up in the end.
            events.write("nodes_unknown", Map.of("error", String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    private int run(List<String> line, List<NodePool.Node> on, CheckpointWatch watch, LaunchLog events)
            throws IOException, InterruptedException {
        Map<String, Object> details = new HashMap<>();
        details.put("nodes", on.stream().map(NodePool.Node::name).toList());
        details.put("command", new ArrayList<>(line));
        if (before != null && config != null) {
            details.put(LaunchLog.CONFIG, LaunchLog.name(config));
            details.put(LaunchLog.EXEC_ID, before.execId());
            details.put(LaunchLog.FAILURE, before.failure());
        }
        events.write(LaunchLog.START, details);
        long begin = System.nanoTime();
        LaunchedJob job;
        try {
            job = LaunchedJob.start(line, id);
        } catch (IOException e) {
            if (!wasStarted) {
                throw e;
            }
            // The command was there before, so this may pass, like a lack of memory.
            events.write("not_started", Map.of("error", String.valueOf(e.getMessage())));
            return ExitCode.DAMAGED;
        }
        wasStarted = true;
        running = job;
        if (before != null) {
            events.write(LaunchLog.RUNNING, job.names());
        }
        try (LaunchedJob started = job) {
            boolean hangs = started.awaitEnd(watch, timeout == null ? null : Duration.ofSeconds(timeout));
            int status = started.status();
            events.write(
                    hangs ? "hang" : "end",
                    Map.of("status", status, "seconds", Math.round((System.nanoTime() - begin) / 1e6) / 1e3));
            return hangs ? ExitCode.DAMAGED : status;
        } finally {
            running = null;
        }
    }

    private void pause(int failures, LaunchLog events) throws IOException, InterruptedException {
        long seconds = Math.min(LONGEST_PAUSE.toSeconds(), (long) backOff << Math.min(failures - 1, 16));
        events.write("pause", Map.of("seconds", seconds));
        Thread.sleep(seconds * 1000);
    }
}
