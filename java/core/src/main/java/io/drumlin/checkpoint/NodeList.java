package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The ranks of a run in the order of nodes (docs/formats/fti-run-directory.md, section 2). Grows with the run: only rank 0 has it, the others
 * have a {@link Topology}.
 *
 * @param nodeNames names of the nodes in node order
 * @param ranks entry {@code node * nodeSize + k} is the rank at position {@code k} of the node
 * @param placement {@code ranks} as it would be if nodes were numbered by first appearance, as in a fresh run
 * @param nodeSize ranks per node
 */
record NodeList(List<String> nodeNames, List<Integer> ranks, List<Integer> placement, int nodeSize) {

    /**
     * Finds the nodes of a run. On a restart a node with a name the earlier run knew keeps its number, others take the place of
     * the nodes that are missing.
     *
     * @param nameOfRank the name of each rank's node
     * @param earlier node names of the earlier run in node order; empty for a fresh run
     */
    static NodeList of(FtiConfig config, List<String> nameOfRank, List<String> earlier) throws DrumlinException {
        NodeList list = of(config.nodeSize(), nameOfRank, earlier);
        if (list.nodeNames.size() % config.groupSize() != 0) {
            throw DrumlinException.during("building the topology")
                    .problem("the run has " + list.nodeNames.size() + " nodes, which cannot be divided into groups of "
                            + "group_size = " + config.groupSize())
                    .advice("make group_size a divisor of the number of nodes")
                    .exception();
        }
        return list;
    }

    static NodeList of(int nodeSize, List<String> nameOfRank, List<String> earlier) throws DrumlinException {
        Map<String, List<Integer>> ranksOfNode = new LinkedHashMap<>();
        for (int i = 0; i < nameOfRank.size(); i++) {
            ranksOfNode
                    .computeIfAbsent(nameOfRank.get(i), n -> new ArrayList<>())
                    .add(i);
        }
        for (Map.Entry<String, List<Integer>> node : ranksOfNode.entrySet()) {
            if (node.getValue().size() != nodeSize) {
                throw DrumlinException.during("building the topology")
                        .problem("node " + node.getKey() + " has "
                                + node.getValue().size() + " ranks and not node_size = " + nodeSize)
                        .advice("start the same number of ranks on every node, or correct node_size")
                        .exception();
            }
        }
        List<String> names = earlier.isEmpty() ? new ArrayList<>(ranksOfNode.keySet()) : renumber(earlier, ranksOfNode);
        List<Integer> nodeList = inOrderOf(names, ranksOfNode);
        List<Integer> placement = inOrderOf(List.copyOf(ranksOfNode.keySet()), ranksOfNode);
        return new NodeList(List.copyOf(names), nodeList, placement, nodeSize);
    }

    private static List<Integer> inOrderOf(List<String> names, Map<String, List<Integer>> ranksOfNode) {
        return names.stream()
                .flatMap(name -> ranksOfNode.getOrDefault(name, List.of()).stream())
                .toList();
    }

    private static List<String> renumber(List<String> earlier, Map<String, List<Integer>> now) throws DrumlinException {
        if (earlier.size() != now.size()) {
            throw DrumlinException.during("restart")
                    .problem("the checkpoints were written on " + earlier.size() + " nodes, this run has " + now.size())
                    .advice("restart with the number of ranks of the run that wrote them")
                    .exception();
        }
        if (new HashSet<>(earlier).size() < earlier.size()) {
            throw DrumlinException.during("restart")
                    .problem("Topology.fti names a node twice: " + earlier)
                    .advice("the file is damaged: correct the names, in the order of the nodes of the first run")
                    .exception();
        }
        List<String> replacements = new ArrayList<>(now.keySet());
        replacements.removeAll(earlier);
        List<String> names = new ArrayList<>();
        for (String name : earlier) {
            names.add(now.containsKey(name) ? name : replacements.remove(0));
        }
        return names;
    }

    /** Whether the ranks of each node follow each other, as they do in a run of which nothing else is known. */
    boolean isNumberedByNode() {
        return placement.equals(IntStream.range(0, ranks.size()).boxed().toList());
    }

    /** What the ranks know of it, by rank. */
    List<Topology> topologies(int heads) {
        boolean isNumberedByNode = isNumberedByNode();
        Topology[] byRank = new Topology[ranks.size()];
        for (int position = 0; position < byRank.length; position++) {
            int node = position / nodeSize;
            List<Integer> nodeRanks = ranks.subList(node * nodeSize, (node + 1) * nodeSize);
            List<Integer> nodeFileRanks = placement.subList(node * nodeSize, (node + 1) * nodeSize);
            byRank[ranks.get(position)] = new Topology(
                    position, byRank.length, nodeNames.get(node), nodeRanks, nodeFileRanks, heads, isNumberedByNode);
        }
        return List.of(byRank);
    }
}
