package io.drumlin.checkpoint.internal.topology;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An order of nodes in which files were written, as recorded in {@code Topology.fti}
 * (docs/formats/fti-run-directory.md, section 2). Its memory grows with the run, so only one rank has it.
 *
 * @param nodes the nodes in their order
 * @param numbering how the ranks are numbered over the nodes; empty if unknown, as for runs of C FTI
 * @param fileRanks the application ranks in the file names, in the order of nodes; empty if they are numbered node by
 *     node or unknown
 */
public record NodeOrder(List<NodeIdentity> nodes, Optional<Numbering> numbering, List<Integer> fileRanks) {

    /** How ranks are numbered over the nodes, and what the data belong to. */
    public enum Numbering {
        /** Numbered node by node. */
        NODE,
        /** Numbered in another way; data belong to ranks of the communicator given by the program. */
        GIVEN,
        /** Numbered in another way; data belong to places in the order of nodes. */
        OTHER
    }

    /** Returns the names of the nodes in their order. */
    public List<String> nodeNames() {
        return nodes.stream().map(NodeIdentity::name).toList();
    }

    boolean isByNode() {
        return numbering.equals(Optional.of(Numbering.NODE));
    }

    /**
     * Returns this order with new nodes, in their order, in the places of missing nodes.
     *
     * @param now the nodes of this run, as many as in this order
     */
    NodeOrder withReplacements(List<NodeIdentity> now) {
        return new NodeOrder(NodeIdentity.inPlaces(nodes, now), numbering, fileRanks);
    }

    /**
     * Returns the node of each rank, heads included.
     *
     * @param nodeSize ranks per node
     * @param heads heads per node
     */
    public int[] nodeOfRank(int nodeSize, int heads) {
        int[] nodeOf = new int[nodes.size() * nodeSize];
        if (fileRanks.size() != nodes.size() * (nodeSize - heads)) {
            Arrays.setAll(nodeOf, rank -> rank / nodeSize);
            return nodeOf;
        }
        Arrays.fill(nodeOf, -1);
        for (int i = 0; i < fileRanks.size(); i++) {
            int rank = fileRanks.get(i);
            if (rank < nodeOf.length) {
                nodeOf[rank] = i / (nodeSize - heads);
            }
        }
        // The first rank of a node is its head, and nodes are in the order of their first ranks.
        int head = 0;
        for (int rank = 0; rank < nodeOf.length; rank++) {
            if (nodeOf[rank] < 0) {
                nodeOf[rank] = Math.min(head++ / Math.max(1, heads), nodes.size() - 1);
            }
        }
        return nodeOf;
    }

    /** Returns whether nodes and ranks have the same places in another order. */
    boolean isLike(NodeOrder other) {
        boolean sameRanks = numbering.isEmpty()
                || (isByNode() == other.isByNode() && (fileRanks.isEmpty() || fileRanks.equals(other.fileRanks)));
        boolean sameNodes = nodes.size() == other.nodes.size()
                && IntStream.range(0, nodes.size()).allMatch(i -> nodes.get(i).is(other.nodes.get(i)));
        return sameNodes && sameRanks;
    }
}
