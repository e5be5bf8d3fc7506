package io.drumlin.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads which nodes there are, and how many ranks run on each. */
final class KnownNodes {

    /** A line of a host file of Open MPI or of MPICH. */
    private static final Pattern LINE = Pattern.compile("(?<name>\\w[\\w.-]*)"
            + "(:(?<hydra>[1-9]\\d{0,5})|\\s+slots\\s*=\\s*(?<slots>[1-9]\\d{0,5})(\\s+max[_-]slots\\s*=\\s*\\d+)?)?");

    private KnownNodes() {}

    /**
     * Reads a host file. A node with several lines has the ranks of all of them, as for mpirun and in the file of nodes of
     * PBS.
     */
    static List<NodePool.Node> ofHostFile(Path file) throws IOException {
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
}
