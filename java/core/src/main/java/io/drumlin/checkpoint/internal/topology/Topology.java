package io.drumlin.checkpoint.internal.topology;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.util.List;

/**
 * Where a rank stands among the nodes (docs/formats/fti-run-directory.md, section 2). As large as a node, however many there are.
 *
 * @param position of this rank in the order of nodes
 * @param ranks how many ranks the run has, heads included
 * @param nodeName name of this rank's node
 * @param nodeRanks the ranks of this rank's node, in their order there
 * @param nodeFileRanks the ranks that the names of their files carry
 * @param heads how many of a node's ranks, the first, are heads
 * @param isNumberedByNode whether the ranks of each node follow each other, as they do in a run of which nothing else is known
 */
public record Topology(
        int position,
        int ranks,
        String nodeName,
        List<Integer> nodeRanks,
        List<Integer> nodeFileRanks,
        int heads,
        boolean isNumberedByNode) {

    /** This rank in the communicator given to the run. */
    public int rank() {
        return nodeRanks.get(place());
    }

    /** Ranks per node. */
    public int nodeSize() {
        return nodeRanks.size();
    }

    /** How many nodes the run has. */
    public int nodes() {
        return ranks / nodeSize();
    }

    /** Number of this rank's node. */
    public int node() {
        return position / nodeSize();
    }

    /** Place of this rank on its node. */
    public int place() {
        return position % nodeSize();
    }

    /** Whether this rank takes no part in the application, but works on its checkpoints. */
    public boolean isHead() {
        return place() < heads;
    }

    /** The ranks of the application, or on a head the heads, in the order of nodes, in a communicator of their own. Collective. */
    public Communicator own(Communicator ranks) throws IOException {
        return ranks.split(isHead() ? 1 : 0, position);
    }

    /** The same in the order in which they were given. */
    public Communicator ownAsGiven(Communicator ranks) throws IOException {
        return ranks.split(isHead() ? 1 : 0, ranks.rank());
    }

    /**
     * The rank that the names of this rank's files carry: its own where data belong to ranks. Where they belong to places in the order of
     * nodes, as in C FTI, it is after a restart with the nodes in another order the rank that had this place at first.
     */
    public int fileRank() {
        return fileRankAt(place());
    }

    /** The rank that the names of the files carry which belong to a place on this rank's node. */
    public int fileRankAt(int place) {
        return nodeFileRanks.get(place);
    }

    /** The first rank of the application on this rank's node, counted without heads. */
    public int firstOfNode() {
        return node() * (nodeSize() - heads);
    }

    /** How many ranks the application has: those that are no heads. */
    public int ranksOfApplication() {
        return nodes() * (nodeSize() - heads);
    }

    /**
     * Whether a rank of this run, and not a head, has files whose names carry {@code fileRank}; as far as that is known here: if ranks
     * are not numbered node by node, each node knows its own head.
     */
    public boolean isOfApplication(int fileRank) {
        boolean isHead = isNumberedByNode
                ? fileRank % nodeSize() < heads
                : nodeFileRanks.subList(0, heads).contains(fileRank);
        return fileRank < ranks && !isHead;
    }

    /** Whether this rank does the work that is done once per node: the first of the application, and the head. */
    public boolean isNodeMaster() {
        return isHead() || place() == heads;
    }

    /** Whether this rank does the work that is done once per run; of the heads there is one, too. */
    public boolean isGlobalMaster() {
        return isNodeMaster() && node() == 0;
    }
}
