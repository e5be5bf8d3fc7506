package io.drumlin.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The command line of a job, and how its launcher is told on which nodes to run. */
public record JobCommand(List<String> words, Launcher launcher) {

    /** Where a user of Open MPI says how it reaches nodes, up to version 4 and since version 5. */
    private static final List<String> AGENTS = List.of("plm_rsh_agent", "plm_ssh_agent", "prte_ssh_agent");

    /** What starts the ranks since Open MPI 5, also by itself. */
    private static final String PRTE = "prterun";

    /**
     * With the defaults of Open MPI, mpirun notices after 8 minutes that a node has lost its power. With these it takes
     * some 20 s: 10 without a message, and 2 questions with 5 s for the answer (docs/cluster-guide.md).
     */
    private static final List<List<String>> KEEP_ALIVE = List.of(
            List.of("oob_tcp_keepalive_time", "10"),
            List.of("oob_tcp_keepalive_intvl", "5"),
            List.of("oob_tcp_keepalive_probes", "2"));

    /** By it a restarted run knows that the job before it has ended, and does not wait to see. */
    static final String JOB = "DRUMLIN_JOB_ID";

    /** What starts the ranks. */
    public enum Launcher {
        OPEN_MPI,
        HYDRA,
        SRUN,
        OTHER;

        /** Returns whether it is told how many ranks run on a node. */
        boolean isToldRanks() {
            return this == OPEN_MPI || this == HYDRA;
        }
    }

    public JobCommand {
        words = List.copyOf(words);
    }

    static JobCommand of(List<String> words) throws IOException, InterruptedException {
        String name = String.valueOf(Path.of(words.get(0)).getFileName());
        if (name.equals("srun")) {
            return new JobCommand(words, Launcher.SRUN);
        }
        if (!name.startsWith("mpirun") && !name.startsWith("mpiexec") && !name.equals(PRTE)) {
            return new JobCommand(words, Launcher.OTHER);
        }
        String version = version(words.get(0));
        boolean openMpi = Stream.of("Open MPI", "OpenRTE", "PRRTE").anyMatch(version::contains);
        return new JobCommand(words, openMpi ? Launcher.OPEN_MPI : Launcher.HYDRA);
    }

    private static String version(String program) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program, "--version")
                .redirectErrorStream(true)
                .start();
        try {
            process.getOutputStream().close();
            process.waitFor(20, TimeUnit.SECONDS);
            return new String(process.getInputStream().readNBytes(4096), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    /**
     * Returns the command that runs another one on a node, such as ssh; empty if Slurm is to be asked.
     *
     * @param probe what the user says
     * @param slurm whether the nodes are those of an allocation of Slurm, on which there may be no ssh
     */
    private List<String> agent(@Nullable String probe, boolean slurm) {
        if (probe != null) {
            return List.of(probe.strip().split("\\s+"));
        }
        for (int i = 0; i + 1 < words.size(); i++) {
            if (AGENTS.contains(words.get(i))) {
                return List.of(words.get(i + 1).strip().split("\\s+"));
            }
        }
        return slurm || launcher == Launcher.SRUN
                ? List.of()
                : List.of("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5");
    }

    /**
     * Returns how a command is run on a node.
     *
     * @param probe what the user says
     * @param slurm whether the nodes are those of an allocation of Slurm
     * @param here whether no nodes are known, so that there is only this machine
     */
    public NodeShell shell(@Nullable String probe, boolean slurm, boolean here) {
        List<String> srun = List.of(launcher == Launcher.SRUN ? words.get(0) : "srun");
        return here ? new NodeShell(List.of(), List.of()) : new NodeShell(agent(probe, slurm), srun);
    }

    /**
     * Returns the command that runs the job.
     *
     * @param nodes where it runs; empty to leave that to the launcher
     */
    List<String> on(List<NodePool.Node> nodes) {
        List<String> line = new ArrayList<>(words);
        line.addAll(1, options(nodes));
        return line;
    }

    private List<String> options(List<NodePool.Node> nodes) {
        List<String> options = new ArrayList<>();
        String names = nodes.stream().map(NodePool.Node::name).collect(Collectors.joining(","));
        switch (launcher) {
            case OPEN_MPI -> {
                if (!words.contains("oob_tcp_keepalive_time")) {
                    boolean prte =
                            String.valueOf(Path.of(words.get(0)).getFileName()).equals(PRTE);
                    for (List<String> each : KEEP_ALIVE) {
                        options.add(prte ? "--prtemca" : "--mca");
                        options.addAll(each);
                    }
                }
                options.addAll(List.of("-x", JOB));
                if (!nodes.isEmpty()) {
                    options.add("--host");
                    options.add(nodes.stream()
                            .map(node -> node.name() + ":" + node.slots())
                            .collect(Collectors.joining(",")));
                }
            }
            case HYDRA -> {
                if (!nodes.isEmpty()) {
                    options.add("-hosts");
                    options.add(nodes.stream()
                            .map(node -> node.name() + ":" + node.slots())
                            .collect(Collectors.joining(",")));
                }
            }
            case SRUN -> {
                if (words.stream().noneMatch(word -> word.startsWith("--kill-on-bad-exit") || word.startsWith("-K"))) {
                    options.add("--kill-on-bad-exit=1");
                }
                if (!nodes.isEmpty()) {
                    options.add("--nodes=" + nodes.size());
                    options.add("--nodelist=" + names);
                    ranks(nodes).ifPresent(ranks -> options.add("--ntasks=" + ranks));
                }
            }
            case OTHER -> {
                // It finds its nodes itself.
            }
        }
        return options;
    }

    /**
     * Returns how many ranks srun is to start, as otherwise it starts those of the whole allocation; empty if that is not
     * known. What the user says comes later on the command line, and counts.
     */
    private OptionalInt ranks(List<NodePool.Node> nodes) {
        boolean known = nodes.stream().noneMatch(node -> node.slots() == NodePool.UNKNOWN);
        return known && words.stream().noneMatch(word -> word.startsWith("--ntasks-per-node"))
                ? OptionalInt.of(nodes.stream().mapToInt(NodePool.Node::slots).sum())
                : OptionalInt.empty();
    }
}
