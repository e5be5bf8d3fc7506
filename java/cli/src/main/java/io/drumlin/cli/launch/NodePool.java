package io.drumlin.cli.launch;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.comm.internal.HostName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The nodes that a job may run on, and which of them are up. Not thread-safe. */
public final class NodePool {

    private static final long PATIENCE_SECONDS = 15;

    /** States of a node that does not answer, as {@code sinfo} names them; an asterisk says that it is silent. */
    private static final Pattern DEAD = Pattern.compile("(down|fail|error|unk|no_respond|power).*|.*\\*");

    /** The start of the state of a node on which Slurm starts nothing new. */
    private static final String DRAINED = "drain";

    /** In the place of a number of ranks that is not known. */
    static final int UNKNOWN = 0;

    private final List<Node> all;
    private final int needed;
    private final NodeShell shell;
    private List<Node> last = List.of();
    private List<Node> started = List.of();
    private int stuck;

    /**
     * A node.
     *
     * @param slots ranks that run on it, for a launcher that must be told, or {@link #UNKNOWN}
     */
    public record Node(String name, int slots) {}

    /**
     * The nodes of a start.
     *
     * @param down names of the nodes that do not answer
     * @param missing how many nodes are too few
     * @param leaving names of the nodes of the start before that still answer, but get no ranks any more
     * @param suspect a node that answers, but whose place a spare one has this time; null if there is none
     */
    record Choice(List<Node> nodes, List<String> down, int missing, List<String> leaving, @Nullable String suspect) {

        Choice {
            nodes = List.copyOf(nodes);
            down = List.copyOf(down);
            leaving = List.copyOf(leaving);
        }
    }

    private NodePool(List<Node> all, int needed, NodeShell shell) {
        this.all = all;
        this.needed = needed;
        this.shell = shell;
    }

    /**
     * Finds the nodes.
     *
     * @param needed nodes of the job; null for all
     * @param probe what reaches a node, in the place of what the job uses
     */
    static NodePool of(
            @Nullable Path hostFile,
            Map<String, String> environment,
            @Nullable Integer needed,
            JobCommand job,
            @Nullable String probe)
            throws IOException, InterruptedException {
        String allocation = hostFile == null ? environment.getOrDefault("SLURM_JOB_NODELIST", "") : "";
        List<Node> nodes = List.of();
        if (hostFile != null) {
            // srun knows the ranks better than the file.
            nodes = KnownNodes.ofHostFile(hostFile).stream()
                    .map(node -> job.launcher().isToldRanks() ? node : new Node(node.name(), UNKNOWN))
                    .toList();
        } else if (!allocation.isEmpty()) {
            List<String> names = output(List.of("scontrol", "show", "hostnames", allocation))
                    .lines()
                    .map(String::strip)
                    .filter(name -> !name.isEmpty())
                    .toList();
            nodes = KnownNodes.ofSlurm(names, job.launcher().isToldRanks(), environment);
        }
        if (needed != null && needed > nodes.size()) {
            throw new CommandException(
                    ExitCode.USAGE, "the job needs " + needed + " nodes, and " + nodes.size() + " are known");
        }
        return new NodePool(
                nodes,
                needed == null ? nodes.size() : needed,
                job.shell(probe, !allocation.isEmpty(), nodes.isEmpty()));
    }

    /**
     * Chooses nodes that are up. Those of the start before keep their places, because their disks have the files of their
     * ranks; spare nodes take the places of the others.
     *
     * <p>A node that answers may be bad nevertheless. So after several failures a spare node takes the place of one node,
     * each time of another one, and the others keep theirs. The first node, which the others need to start, is the last.
     */
    Choice choose() throws IOException, InterruptedException {
        if (all.isEmpty()) {
            return new Choice(List.of(), List.of(), 0, List.of(), null);
        }
        Map<String, Boolean> reached = reach();
        Set<String> up = new LinkedHashSet<>(reached.keySet());
        up.removeIf(name -> Boolean.FALSE.equals(reached.get(name)));
        if (started.stream().anyMatch(node -> !up.contains(node.name()))) {
            stuck = 0; // This is why it failed.
        }
        List<Node> spare = new ArrayList<>(all);
        spare.removeAll(last);
        spare.removeIf(node -> !up.contains(node.name()));
        List<Node> chosen = new ArrayList<>();
        for (int place = 0; place < needed; place++) {
            boolean stays = place < last.size() && up.contains(last.get(place).name());
            if (stays) {
                chosen.add(last.get(place));
            } else if (!spare.isEmpty()) {
                chosen.add(spare.remove(0));
            }
        }
        List<String> leaving = last.stream()
                .map(Node::name)
                .filter(name -> Boolean.FALSE.equals(reached.get(name)))
                .toList();
        String suspect = null;
        if (chosen.size() == needed) {
            last = List.copyOf(chosen);
            if (stuck > 1 && !spare.isEmpty()) {
                int turn = stuck - 2;
                suspect = chosen.set(needed - 1 - turn % needed, spare.get(turn / needed % spare.size()))
                        .name();
            }
        }
        started = List.copyOf(chosen);
        List<String> down =
                all.stream().map(Node::name).filter(name -> !up.contains(name)).toList();
        return new Choice(chosen, down, needed - chosen.size(), leaving, suspect);
    }

    /** Notes that a start on the chosen nodes has failed without a new checkpoint. */
    void fail() {
        stuck++;
    }

    /** Returns how many starts in a row have failed so, on nodes that answer. */
    int failures() {
        return stuck;
    }

    /** Keeps the nodes of the last start, because their disks have new files now. */
    void keep() {
        stuck = 0;
        if (started.size() == needed) {
            last = started;
        }
    }

    /** Returns the names of the nodes that answer, also if no job may be started there; this machine's if it is the only one. */
    List<String> reachable() throws IOException, InterruptedException {
        return all.isEmpty() ? List.of(HostName.read()) : List.copyOf(reach().keySet());
    }

    /** Returns how a command is run on a node. */
    NodeShell shell() {
        return shell;
    }

    /** Returns the nodes that answer, each with whether a job may be started there. */
    private Map<String, Boolean> reach() throws IOException, InterruptedException {
        Map<String, Boolean> reached = new LinkedHashMap<>();
        if (!shell.agent().isEmpty()) {
            upByAgent().forEach(name -> reached.put(name, true));
            return reached;
        }
        String names = String.join(",", all.stream().map(Node::name).toList());
        String states = output(List.of("sinfo", "--noheader", "--Node", "--nodes=" + names, "--format=%N %T"));
        for (String line : states.lines().toList()) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length == 2 && !DEAD.matcher(words[1]).matches()) {
                // A node in several partitions has several lines.
                reached.put(words[0], !words[1].startsWith(DRAINED));
            }
        }
        return reached;
    }

    private Set<String> upByAgent() throws IOException, InterruptedException {
        Map<String, Process> probes = new LinkedHashMap<>();
        for (Node node : all) {
            List<String> command = new ArrayList<>(shell.agent());
            command.add(node.name());
            command.add("true");
            probes.put(
                    node.name(),
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start());
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        Set<String> up = new LinkedHashSet<>();
        for (Map.Entry<String, Process> probe : probes.entrySet()) {
            Process process = probe.getValue();
            if (process.waitFor(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)
                    && process.exitValue() == 0) {
                up.add(probe.getKey());
            }
            process.destroyForcibly();
        }
        return up;
    }

    /** Returns what a command of Slurm prints. */
    private static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + text.strip());
        }
        return text;
    }
}
