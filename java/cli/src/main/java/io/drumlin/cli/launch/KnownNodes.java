package io.drumlin.cli.launch;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads which nodes there are, and how many ranks run on each. */
public final class KnownNodes {

    /** A line of a host file of Open MPI or of MPICH. */
    private static final Pattern LINE = Pattern.compile("(?<name>\\w[\\w.-]*)"
            + "(:(?<hydra>[1-9]\\d{0,5})|\\s+slots\\s*=\\s*(?<slots>[1-9]\\d{0,5})(\\s+max[_-]slots\\s*=\\s*\\d+)?)?");

    /** Ranks of a node, or of several nodes that follow each other. */
    private static final Pattern TASKS = Pattern.compile("([1-9]\\d{0,5})(?:\\(x([1-9]\\d{0,5})\\))?");

    private static final String TASKS_OF_NODES = "SLURM_TASKS_PER_NODE";

    private static final String TASKS_OF_NODE = "SLURM_NTASKS_PER_NODE";

    private KnownNodes() {}

    /**
     * Reads a host file. A node with several lines has the ranks of all of them, as for mpirun and in the file of nodes of
     * PBS.
     */
    public static List<NodePool.Node> ofHostFile(Path file) throws IOException {
        Map<String, Integer> slots = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").strip();
            if (line.isEmpty()) {
                continue;
            }
            Matcher parts = LINE.matcher(line);
            if (!parts.matches()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        file + ", line " + (i + 1) + ": \"" + line
                                + "\" must be NAME, NAME slots=RANKS max_slots=RANKS, or NAME:RANKS");
            }
            slots.merge(parts.group("name"), slots(parts.group("hydra"), parts.group("slots")), Integer::sum);
        }
        if (slots.isEmpty()) {
            throw new CommandException(ExitCode.USAGE, file + " names no node");
        }
        return slots.entrySet().stream()
                .map(node -> new NodePool.Node(node.getKey(), node.getValue()))
                .toList();
    }

    private static int slots(@Nullable String hydra, @Nullable String openMpi) {
        if (hydra != null) {
            return Integer.parseInt(hydra);
        }
        return openMpi == null ? 1 : Integer.parseInt(openMpi);
    }

    /**
     * Returns the nodes of an allocation of Slurm.
     *
     * @param names their names, in the order of {@code SLURM_JOB_NODELIST}
     * @param withRanks whether it must be known how many ranks run on each
     */
    static List<NodePool.Node> ofSlurm(List<String> names, boolean withRanks, Map<String, String> environment) {
        String ofNode = environment.getOrDefault(TASKS_OF_NODE, "");
        String text = environment.getOrDefault(TASKS_OF_NODES, ofNode + "(x" + names.size() + ")");
        List<Integer> ranks = tasks(text)
                .filter(each -> each.size() == names.size())
                .or(() ->
                        withRanks ? Optional.empty() : Optional.of(Collections.nCopies(names.size(), NodePool.UNKNOWN)))
                .orElseThrow(() -> new CommandException(
                        ExitCode.USAGE,
                        "mpirun must be told how many ranks run on each of the " + names.size() + " nodes, and "
                                + TASKS_OF_NODES + " is \"" + environment.getOrDefault(TASKS_OF_NODES, "") + "\", "
                                + TASKS_OF_NODE + " \"" + ofNode
                                + "\": give the nodes with --hostfile, or sbatch --ntasks-per-node"));
        List<NodePool.Node> nodes = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            nodes.add(new NodePool.Node(names.get(i), ranks.get(i)));
        }
        return nodes;
    }

    /** Returns the ranks of each node, such as 2, 2, 2 and 1 for {@code 2(x3),1}; empty for anything else. */
    private static Optional<List<Integer>> tasks(String text) {
        List<Integer> tasks = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher parts = TASKS.matcher(part);
            if (!parts.matches()) {
                return Optional.empty();
            }
            int times = parts.group(2) == null ? 1 : Integer.parseInt(parts.group(2));
            for (int i = 0; i < times; i++) {
                tasks.add(Integer.parseInt(parts.group(1)));
            }
        }
        return Optional.of(tasks);
    }
}
