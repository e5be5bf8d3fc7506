package io.drumlin.cli;

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
final class NodePool {

    private static final long PATIENCE_SECONDS = 15;

    /** States of a node on which Slurm starts nothing, as {@code sinfo} names them; an asterisk says that it is silent. */
    private static final Pattern GONE = Pattern.compile("(down|drain|fail|error|unk|no_respond|power).*|.*\\*");

    private final List<Node> all;
    private final int needed;
    private final List<String> agent;
    private List<Node> last = List.of();

    /**
     * A node.
     *
     * @param slots ranks that run on it, for a launcher that must be told
     */
    record Node(String name, int slots) {}

    /**
     * The nodes of a start.
     *
     * @param down names of the nodes that do not answer
     * @param missing how many nodes are too few
     */
    record Choice(List<Node> nodes, List<String> down, int missing) {

        Choice {
            nodes = List.copyOf(nodes);
            down = List.copyOf(down);
        }
    }

    private NodePool(List<Node> all, int needed, List<String> agent) {
        this.all = all;
        this.needed = needed;
        this.agent = agent;
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
            nodes = KnownNodes.ofHostFile(hostFile);
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
        return new NodePool(nodes, needed == null ? nodes.size() : needed, job.agent(probe, !allocation.isEmpty()));
    }

    /**
     * Chooses nodes that are up. Those of the start before keep their places, because their disks have the files of their
     * ranks; spare nodes take the places of the others.
     */
    Choice choose() throws IOException, InterruptedException {
        if (all.isEmpty()) {
            return new Choice(List.of(), List.of(), 0);
        }
        Set<String> up = agent.isEmpty() ? upBySlurm() : upByAgent();
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
        if (chosen.size() == needed) {
            last = List.copyOf(chosen);
        }
        List<String> down =
                all.stream().map(Node::name).filter(name -> !up.contains(name)).toList();
        return new Choice(chosen, down, needed - chosen.size());
    }

    private Set<String> upBySlurm() throws IOException, InterruptedException {
        String names = String.join(",", all.stream().map(Node::name).toList());
        String states = output(List.of("sinfo", "--noheader", "--Node", "--nodes=" + names, "--format=%N %T"));
        Set<String> up = new LinkedHashSet<>();
        for (String line : states.lines().toList()) {
            String[] words = line.strip().split("\\s+", -1);
            if (words.length == 2 && !GONE.matcher(words[1]).matches()) {
                up.add(words[0]);
            }
        }
        return up;
    }

    private Set<String> upByAgent() throws IOException, InterruptedException {
        Map<String, Process> probes = new LinkedHashMap<>();
        for (Node node : all) {
            List<String> command = new ArrayList<>(agent);
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
