package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.fti.IniFile;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which rank sits on which node (docs/formats/fti-run-directory.md, section 2).
 *
 * @param rank rank in the communicator given to the run
 * @param nodeNames names of the nodes in node order
 * @param nodeList ranks in node order: entry {@code node * nodeSize + k} is the rank at position {@code k} of the node
 * @param placement {@code nodeList} as it would be if nodes were numbered by first appearance, as in a fresh run
 * @param nodeSize ranks per node
 * @param heads how many of them, the first, are heads
 */
record Topology(
        int rank, List<String> nodeNames, List<Integer> nodeList, List<Integer> placement, int nodeSize, int heads) {

    /** Bytes of a node name in the exchange, as in C FTI. */
    private static final int NAME_BYTES = 256;

    /** Ours: C FTI ignores it. */
    private static final String DRUMLIN = "drumlin";

    /** There if the ranks are not numbered node by node: what the files of the mode FTI-FF do not tell. */
    private static final String NUMBERING = "numbering";

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    /**
     * Finds the nodes of a run. On a restart a node with a name the earlier run knew keeps its number, others take the place of
     * the nodes that are missing. Collective.
     *
     * @param earlier node names of the earlier run in node order; empty for a fresh run
     */
    static Topology of(Communicator comm, FtiConfig config, List<String> earlier) throws IOException {
        return of(comm.rank(), config, gatherNames(comm, config), earlier);
    }

    /**
     * Does the same from node names that are known.
     *
     * @param nameOfRank the name of each rank's node
     */
    static Topology of(int rank, FtiConfig config, List<String> nameOfRank, List<String> earlier)
            throws DrumlinException {
        Topology topology = of(rank, config.nodeSize(), config.heads(), nameOfRank, earlier);
        if (topology.nodeNames.size() % config.groupSize() != 0) {
            throw DrumlinException.during("building the topology")
                    .problem("the run has " + topology.nodeNames.size()
                            + " nodes, which cannot be divided into groups of " + "group_size = " + config.groupSize())
                    .advice("make group_size a divisor of the number of nodes")
                    .exception();
        }
        return topology;
    }

    private static List<String> gatherNames(Communicator comm, FtiConfig config) throws IOException {
        ByteBuffer own = ByteBuffer.allocate(NAME_BYTES);
        Agreement.run(comm, "finding the node's name", () -> {
            byte[] name = nodeName(comm.rank(), config).getBytes(StandardCharsets.UTF_8);
            own.put(name, 0, Math.min(name.length, NAME_BYTES)).clear();
        });
        ByteBuffer all = ByteBuffer.allocate(Math.multiplyExact(NAME_BYTES, comm.size()));
        comm.allgather(own, all);
        List<String> names = new ArrayList<>(comm.size());
        for (int rank = 0; rank < comm.size(); rank++) {
            names.add(new String(all.array(), rank * NAME_BYTES, NAME_BYTES, StandardCharsets.UTF_8).replace("\0", ""));
        }
        return names;
    }

    private static String nodeName(int rank, FtiConfig config) throws IOException {
        if (config.localTest()) {
            return "node" + rank / config.nodeSize();
        }
        // What gethostname says. Java's own way fails where the name has no address.
        return Files.isReadable(HOST_NAME)
                ? Files.readString(HOST_NAME).strip()
                : InetAddress.getLocalHost().getHostName();
    }

    static Topology of(int rank, int nodeSize, int heads, List<String> nameOfRank, List<String> earlier)
            throws DrumlinException {
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
        return new Topology(rank, List.copyOf(names), nodeList, placement, nodeSize, heads);
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

    /** How many ranks the run has, heads included. */
    int ranks() {
        return nodeList.size();
    }

    /** Whether the ranks of each node follow each other, as they do in a run of which nothing else is known. */
    boolean isNumberedByNode() {
        return placement.equals(IntStream.range(0, ranks()).boxed().toList());
    }

    /** Position of this rank in the order of nodes. */
    int position() {
        return nodeList.indexOf(rank);
    }

    /** Number of this rank's node. */
    int node() {
        return position() / nodeSize;
    }

    /** The ranks of this rank's node, in their order there. */
    List<Integer> nodeRanks() {
        return nodeList.subList(node() * nodeSize, (node() + 1) * nodeSize);
    }

    /** Place of this rank on its node. */
    int place() {
        return position() % nodeSize;
    }

    /** Whether this rank takes no part in the application, but works on its checkpoints. */
    boolean isHead() {
        return place() < heads;
    }

    /** The ranks of the application, or on a head the heads, in a communicator of their own. Collective. */
    Communicator own(Communicator ranks) throws IOException {
        return ranks.split(isHead() ? 1 : 0, position());
    }

    /**
     * The rank that the names of this rank's files carry: its own in a fresh run. After a restart with the nodes in another
     * order it is the rank that had this place then, because data belong to places in the order of nodes.
     */
    int fileRank() {
        return fileRankAt(place());
    }

    /** The rank that the names of the files carry which belong to a place on this rank's node. */
    int fileRankAt(int place) {
        return placement.get(node() * nodeSize + place);
    }

    /** The first rank of the application on this rank's node, counted without heads. */
    int firstOfNode() {
        return node() * (nodeSize - heads);
    }

    /** The ranks that the names of the application's files carry. */
    Set<Integer> fileRanks() {
        return IntStream.range(0, ranks())
                .filter(position -> position % nodeSize >= heads)
                .mapToObj(placement::get)
                .collect(Collectors.toSet());
    }

    /** Whether this rank does the work that is done once per node: the first of the application, and the head. */
    boolean isNodeMaster() {
        return isHead() || place() == heads;
    }

    /** Whether this rank does the work that is done once per run; of the heads there is one, too. */
    boolean isGlobalMaster() {
        return isNodeMaster() && node() == 0;
    }

    /** Whether the run that left {@code Topology.fti} had its ranks numbered node by node, as far as that is known. */
    static boolean isNumberedByNode(IniFile topology) {
        return topology.get(DRUMLIN, NUMBERING).isEmpty();
    }

    /** The content of {@code Topology.fti}: what C FTI leaves of the configuration, and the node names. */
    String toIni(IniFile config) {
        Map<String, Map<String, String>> sections = new LinkedHashMap<>();
        for (String section : config.sections()) {
            if (!List.of("basic", "restart", "advanced", "topology").contains(section)) {
                sections.put(section, new LinkedHashMap<>(config.section(section)));
            }
        }
        Map<String, String> nodes = new LinkedHashMap<>();
        for (int i = 0; i < nodeNames.size(); i++) {
            nodes.put(Integer.toString(i), nodeNames.get(i));
        }
        sections.put("topology", nodes);
        if (!isNumberedByNode()) {
            sections.computeIfAbsent(DRUMLIN, name -> new LinkedHashMap<>()).put(NUMBERING, "other");
        }
        return IniFile.dump(sections);
    }

    /** Reads the node names of {@code Topology.fti}. */
    static List<String> nodeNames(IniFile topology, String name) throws DrumlinException {
        Map<String, String> nodes = topology.section("topology");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            String node = nodes.get(Integer.toString(i));
            if (node == null) {
                throw DrumlinException.during("reading " + name)
                        .problem(String.format(Locale.ROOT, "[topology] %d is missing of %d nodes", i, nodes.size()))
                        .advice("the file is not whole: without it the nodes of the earlier run are not known")
                        .exception();
            }
            names.add(node);
        }
        if (names.isEmpty()) {
            throw DrumlinException.during("reading " + name)
                    .problem("[topology] names no node")
                    .exception();
        }
        return names;
    }
}
