package io.drumlin.checkpoint.internal.topology;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The place of a rank among the nodes (docs/formats/fti-run-directory.md, section 2). Its memory depends on the size of
 * a node, not on the number of nodes.
 *
 * @param position of this rank in the order of nodes
 * @param ranks number of ranks of the run, heads included
 * @param identity by what this rank's node is known
 * @param nodeRanks the ranks of this rank's node, in their order there
 * @param nodeFileRanks the ranks in the names of their files
 * @param heads heads per node, which are its first ranks
 * @param isNumberedByNode whether the ranks of each node follow each other, which is assumed if nothing is known about
 *     a run
 * @param isInRankOrder whether the position of every rank is its number
 */
public record Topology(
        int position,
        int ranks,
        NodeIdentity identity,
        List<Integer> nodeRanks,
        List<Integer> nodeFileRanks,
        int heads,
        boolean isNumberedByNode,
        boolean isInRankOrder) {

    /** Returns the name of this rank's node. */
    public String nodeName() {
        return identity.name();
    }

    /** Returns this topology with another id of the node's disk. */
    public Topology withDisk(String disk) {
        NodeIdentity other = new NodeIdentity(nodeName(), disk);
        return new Topology(position, ranks, other, nodeRanks, nodeFileRanks, heads, isNumberedByNode, isInRankOrder);
    }

    /** Returns the topology of the rank at a place on this rank's node. */
    public Topology at(int place) {
        int other = position - place() + place;
        return new Topology(other, ranks, identity, nodeRanks, nodeFileRanks, heads, isNumberedByNode, isInRankOrder);
    }

    /** Returns this rank in the communicator given to the run. */
    public int rank() {
        return nodeRanks.get(place());
    }

    /** Ranks per node. */
    public int nodeSize() {
        return nodeRanks.size();
    }

    /** Returns the number of nodes of the run. */
    public int nodes() {
        return ranks / nodeSize();
    }

    /** Returns the number of this rank's node. */
    public int node() {
        return position / nodeSize();
    }

    /** Returns the place of this rank on its node. */
    public int place() {
        return position % nodeSize();
    }

    /** Returns whether this rank is a head, which takes no part in the application but works on its checkpoints. */
    public boolean isHead() {
        return place() < heads;
    }

    /**
     * Creates a communicator of the application's ranks, or on a head of the heads, in the order of nodes. Collective.
     */
    public Communicator own(Communicator ranks) throws IOException {
        return heads == 0 && isInRankOrder ? ranks.dup() : ranks.split(isHead() ? 1 : 0, position);
    }

    /**
     * Creates a communicator of the application's ranks, or on a head of the heads, in the order of the given
     * communicator. Collective.
     */
    public Communicator ownAsGiven(Communicator ranks) throws IOException {
        return heads == 0 ? ranks.dup() : ranks.split(isHead() ? 1 : 0, ranks.rank());
    }

    /**
     * Creates a communicator of the ranks of this rank's node that are in {@code own}. Collective.
     *
     * @param own a communicator of the same ranks as {@link #own}, in the same order
     */
    public Communicator ofNode(Communicator own) throws IOException {
        int first = node() * ownOfNode();
        return own.subset(IntStream.range(first, first + ownOfNode()).toArray());
    }

    /**
     * Creates a communicator of the ranks at this rank's place on the nodes of a sector, in the order of nodes.
     * Collective.
     *
     * @param own a communicator of the same ranks as {@link #own}, in the same order
     * @param first the first node of the sector
     * @param count number of its nodes, of which the last may be missing
     */
    Communicator ofSector(Communicator own, int first, int count) throws IOException {
        int place = isHead() ? place() : place() - heads;
        return own.subset(IntStream.range(first, Math.min(first + count, nodes()))
                .map(node -> node * ownOfNode() + place)
                .toArray());
    }

    /** Returns how many ranks of a node are heads, if this is one, or otherwise are not. */
    private int ownOfNode() {
        return isHead() ? heads : nodeSize() - heads;
    }

    /**
     * Returns the rank in the names of this rank's files. If data belong to ranks, it is this rank. If data belong to
     * places in the order of nodes, as in C FTI, then after a restart with the nodes in another order it is the rank
     * that first had this place.
     */
    public int fileRank() {
        return fileRankAt(place());
    }

    /** Returns the rank in the names of the files that belong to a place on this rank's node. */
    public int fileRankAt(int place) {
        return nodeFileRanks.get(place);
    }

    /** Returns the first application rank on this rank's node, counted without heads. */
    public int firstOfNode() {
        return node() * (nodeSize() - heads);
    }

    /** Returns the number of application ranks, that is all ranks but the heads. */
    public int ranksOfApplication() {
        return nodes() * (nodeSize() - heads);
    }

    /**
     * Returns whether {@code fileRank} may be in the names of files of an application rank of this run. Each node knows
     * only its own head if ranks are not numbered node by node.
     */
    public boolean isOfApplication(int fileRank) {
        boolean isHead = isNumberedByNode
                ? fileRank % nodeSize() < heads
                : nodeFileRanks.subList(0, heads).contains(fileRank);
        return fileRank < ranks && !isHead;
    }

    /** Returns whether this rank does the work that is done once per node: the first application rank, and the head. */
    public boolean isNodeMaster() {
        return isHead() || place() == heads;
    }

    /** Returns whether this rank does the work that is done once per run: one application rank, and one head. */
    public boolean isGlobalMaster() {
        return isNodeMaster() && node() == 0;
    }
}
