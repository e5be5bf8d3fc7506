package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.Mode;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The ranks of a run in the order of nodes (docs/formats/fti-run-directory.md, section 2). Its memory grows with the
 * run, so only rank 0 has it; the other ranks have a {@link Topology}.
 *
 * @param nodes the nodes in their order
 * @param ranks entry {@code node * nodeSize + k} is the rank at position {@code k} of the node
 * @param placement {@code ranks} as in a fresh run, which numbers the nodes by first appearance
 * @param nodeSize ranks per node
 */
public record NodeList(List<NodeIdentity> nodes, List<Integer> ranks, List<Integer> placement, int nodeSize) {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Most ranges of ranks in a line of the log. */
    private static final int MOST_RANGES = 16;

    /** Returns advice for a restart on another number of ranks. */
    public static String adviceToOtherRanks(FtiConfig config) {
        return "restart with the number of ranks of the run that wrote them; " + whatOtherRanksRecover(config);
    }

    /** Returns the end of a sentence that says what a run on another number of ranks can recover from. */
    public static String whatOtherRanksRecover(FtiConfig config) {
        return config.mode() == Mode.HDF5
                ? "in the mode HDF5 another number of ranks can recover a shared file only, one of level 9, with failure = 3"
                : "a checkpoint of level 4 can also be recovered by another number of ranks, with"
                        + " Checkpoints.Builder.anyNumberOfRanks()";
    }

    /**
     * Determines the nodes of a run. On a restart, a node that is known from the earlier run, by its disk or by its name,
     * keeps its number. Other nodes take the places of missing nodes.
     *
     * @param nodeOfRank the node of each rank
     * @param earlier the order of the earlier run; empty for a fresh run
     */
    public static NodeList of(FtiConfig config, List<NodeIdentity> nodeOfRank, Optional<NodeOrder> earlier)
            throws DrumlinException {
        NodeList fresh = of(config, nodeOfRank, earlier.map(NodeOrder::nodes).orElse(List.of()));
        NodeList list =
                earlier.isPresent() ? fresh.withPlacement(fresh.placementOf(earlier.get(), config.heads())) : fresh;
        if (list.nodes.size() % config.groupSize() != 0) {
            throw DrumlinException.during("building the topology")
                    .problem("the run has " + list.nodes.size() + " nodes, which cannot be divided into groups of "
                            + "group_size = " + config.groupSize())
                    .advice("make group_size a divisor of the number of nodes")
                    .exception();
        }
        return list;
    }

    private static NodeList of(FtiConfig config, List<NodeIdentity> nodeOfRank, List<NodeIdentity> earlier)
            throws DrumlinException {
        int nodeSize = config.nodeSize();
        Map<String, List<Integer>> ranksOfNode = new LinkedHashMap<>();
        for (int i = 0; i < nodeOfRank.size(); i++) {
            ranksOfNode
                    .computeIfAbsent(nodeOfRank.get(i).name(), n -> new ArrayList<>())
                    .add(i);
        }
        for (Map.Entry<String, List<Integer>> node : ranksOfNode.entrySet()) {
            if (node.getValue().size() != nodeSize) {
                throw DrumlinException.during("building the topology")
                        .problem("node " + node.getKey() + " has "
                                + node.getValue().size() + " ranks and not node_size = " + nodeSize)
                        .advice("start the same number of ranks on every node, or correct node_size"
                                + (earlier.isEmpty() ? "" : "; " + whatOtherRanksRecover(config)))
                        .exception();
            }
        }
        List<NodeIdentity> byAppearance = ranksOfNode.values().stream()
                .map(ranks -> nodeOfRank.get(ranks.get(0)))
                .toList();
        List<NodeIdentity> nodes = earlier.isEmpty() ? byAppearance : renumber(config, earlier, byAppearance);
        List<Integer> nodeList = inOrderOf(nodes, ranksOfNode);
        List<Integer> placement = inOrderOf(byAppearance, ranksOfNode);
        return new NodeList(List.copyOf(nodes), nodeList, placement, nodeSize);
    }

    private NodeList withPlacement(List<Integer> other) {
        return new NodeList(nodes, ranks, other, nodeSize);
    }

    /** Returns the ranks in the file names, by place, in the order of an earlier run. */
    private List<Integer> placementOf(NodeOrder earlier, int heads) throws DrumlinException {
        if (earlier.numbering().isEmpty()) {
            return placement;
        }
        List<Integer> byNode = IntStream.range(0, ranks.size()).boxed().toList();
        List<Integer> stored = earlier.isByNode() ? ofApplication(byNode, heads) : earlier.fileRanks();
        List<Integer> present = ofApplication(placement, heads);
        boolean known = earlier.isByNode() || !stored.isEmpty();
        if (stored.equals(present) || (!known && !isNumberedByNode()) || (known && stored.size() != present.size())) {
            return placement;
        }
        // With heads the file would get another name, and files for another number of heads are refused.
        if (!known || heads > 0) {
            throw otherPlacement(earlier.isByNode());
        }
        if (!byNode.equals(stored.stream().sorted().toList())) {
            throw DrumlinException.during("restart")
                    .problem("Topology.fti does not name each rank once in [drumlin.ranks]")
                    .advice("the file is damaged, or of another node_size: bring back what it was")
                    .exception();
        }
        return stored;
    }

    private static DrumlinException otherPlacement(boolean wasByNode) {
        return DrumlinException.during("restart")
                .problem("the ranks of each node followed each other "
                        + (wasByNode
                                ? "when the checkpoints were written and do not now"
                                : "not when the checkpoints were written and do now"))
                .advice(
                        "let mpirun (--map-by) or srun (--distribution) place the ranks on the nodes as in the run before")
                .exception();
    }

    /** Returns the entries of a list by place that belong to application ranks. */
    public <T> List<T> ofApplication(List<T> byPlace, int heads) {
        return IntStream.range(0, byPlace.size())
                .filter(place -> place % nodeSize >= heads)
                .mapToObj(byPlace::get)
                .toList();
    }

    /**
     * Returns the number of the rank at a position, counted among application ranks in the order of nodes; meaningless
     * for a head.
     */
    int numberInApplication(int position, int heads) {
        return position / nodeSize * (nodeSize - heads) + position % nodeSize - heads;
    }

    /** Returns whether every rank finds files with its own number at its place. */
    public boolean isInPlace() {
        return ranks.equals(placement);
    }

    private static List<Integer> inOrderOf(List<NodeIdentity> nodes, Map<String, List<Integer>> ranksOfNode) {
        return nodes.stream()
                .flatMap(node -> ranksOfNode.getOrDefault(node.name(), List.of()).stream())
                .toList();
    }

    private static List<NodeIdentity> renumber(FtiConfig config, List<NodeIdentity> earlier, List<NodeIdentity> now)
            throws DrumlinException {
        if (earlier.size() != now.size()) {
            throw DrumlinException.during("restart")
                    .problem("the checkpoints were written on " + earlier.size() + " nodes, this run has " + now.size())
                    .advice(adviceToOtherRanks(config))
                    .exception();
        }
        List<String> names = earlier.stream().map(NodeIdentity::name).toList();
        if (new HashSet<>(names).size() < names.size()) {
            throw DrumlinException.during("restart")
                    .problem("Topology.fti names a node twice: " + names)
                    .advice("the file is damaged: correct the names, in the order of the nodes of the first run")
                    .exception();
        }
        return NodeIdentity.inPlaces(earlier, now);
    }

    /** Returns whether the ranks of each node follow each other, which is assumed if nothing is known about a run. */
    boolean isNumberedByNode() {
        return placement.equals(IntStream.range(0, ranks.size()).boxed().toList());
    }

    /** Returns whether the position of every rank is its number. */
    boolean isInRankOrder() {
        return ranks.equals(IntStream.range(0, ranks.size()).boxed().toList());
    }

    /** Returns the distance from each rank of a node to the next one; 0 if it is not the same everywhere. */
    int stride() {
        int stride = nodeSize == 1 ? 1 : ranks.get(1) - ranks.get(0);
        boolean regular = IntStream.range(1, ranks.size())
                .allMatch(i -> i % nodeSize == 0 || ranks.get(i) - ranks.get(i - 1) == stride);
        return regular ? stride : 0;
    }

    /** Returns the topology of each rank, by rank. */
    public List<Topology> topologies(int heads) {
        boolean isNumberedByNode = isNumberedByNode();
        boolean isInRankOrder = isInRankOrder();
        Topology[] byRank = new Topology[ranks.size()];
        for (int position = 0; position < byRank.length; position++) {
            int node = position / nodeSize;
            List<Integer> nodeRanks = ranks.subList(node * nodeSize, (node + 1) * nodeSize);
            List<Integer> nodeFileRanks = placement.subList(node * nodeSize, (node + 1) * nodeSize);
            byRank[ranks.get(position)] = new Topology(
                    position,
                    byRank.length,
                    nodes.get(node),
                    nodeRanks,
                    nodeFileRanks,
                    heads,
                    isNumberedByNode,
                    isInRankOrder);
        }
        return List.of(byRank);
    }

    /**
     * Warns if numbers differ: a program that uses the ranks of its own communicator would use the data of other ranks.
     */
    public void warnOfOtherNumbers(int heads) {
        List<Integer> given = ofApplication(ranks(), heads);
        if (given.stream().sorted().toList().equals(given)) {
            return;
        }
        List<String> ranges = List.of(RankRanges.of(given).split(",", -1));
        LOG.log(
                Logger.Level.WARNING,
                "ranks are renumbered in the order of nodes: the ranks 0, 1, ... of FTI_COMM_WORLD are {0}{1} of the"
                        + " communicator that the program gave. Data belong to the ranks of FTI_COMM_WORLD: a program that uses"
                        + " the numbers of the other gets the data of others",
                String.join(",", ranges.subList(0, Math.min(MOST_RANGES, ranges.size()))),
                ranges.size() > MOST_RANGES ? ", ..." : "");
    }
}
