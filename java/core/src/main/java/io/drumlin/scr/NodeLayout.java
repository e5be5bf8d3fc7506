package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Knows which ranks share a node, and which ranks of different nodes protect each other (docs/formats/scr.md, section
 * 11).
 */
final class NodeLayout implements Closeable {

    private final Communicator world;
    private final Communicator node;
    private final String name;
    private final int index;
    private final int nodes;
    private final SortedSet<Integer> ranks;

    /**
     * Finds the ranks of each node. Collective.
     *
     * @param name the name of this rank's node
     */
    NodeLayout(Communicator world, String name) throws IOException {
        this.world = world;
        this.name = name;
        KvTree own = new KvTree();
        own.addPath(name, Integer.toString(world.rank()));
        KvTree all = Messages.allgather(world, own).sorted();
        List<String> names = List.copyOf(all.keys());
        this.ranks = new TreeSet<>();
        all.add(name).keys().forEach(rank -> ranks.add(KvFields.leadingInteger(rank)));
        this.index = names.indexOf(name);
        this.nodes = names.size();
        this.node = world.split(index, world.rank());
    }

    String name() {
        return name;
    }

    int nodes() {
        return nodes;
    }

    /** Returns the ranks of the job that run in this node. */
    SortedSet<Integer> ranks() {
        return Collections.unmodifiableSortedSet(ranks);
    }

    /** Returns this rank's number among those of its node. */
    int place() {
        return node.rank();
    }

    /** Returns whether this rank acts for its node. */
    boolean isLeader() {
        return node.rank() == 0;
    }

    /** Joins the trees of all ranks of the node on each of them. Collective over the node. */
    KvTree allgather(KvTree tree) throws IOException {
        return Messages.allgather(node, tree);
    }

    /**
     * Returns the set of this rank: ranks at the same place in their nodes, at least {@code size} of them. If no other
     * node has such a rank, the set is of type SINGLE. Collective.
     *
     * @throws IOException on all ranks: the ranks of a set cannot repair so many failures
     */
    RedundancySet set(CopyType type, int failures, int size) throws IOException {
        int sums = type == CopyType.RS ? failures : 1;
        CopyType effective = type == CopyType.RS && sums == 1 ? CopyType.XOR : type;
        try (Communicator across = world.split(node.rank(), index)) {
            int sets = Math.max(1, across.size() / Math.max(size, 1));
            int number = (int) ((long) across.rank() * sets / across.size());
            try (Communicator members = across.split(number, across.rank())) {
                int ranks = members.size();
                Agreement.run(world, "choosing ranks that protect each other", () -> checkSums(effective, sums, ranks));
                type = ranks == 1 ? CopyType.SINGLE : effective;
            }
            // A single rank is a set of its own.
            long color = type == CopyType.SINGLE
                    ? (long) world.size() * world.size() + world.rank()
                    : (long) node.rank() * world.size() + number;
            return set(type, sums, color);
        }
    }

    private void checkSums(CopyType type, int sums, int ranks) throws DrumlinException {
        if (ranks > 1 && !RedundancySet.isPossible(type, sums, ranks)) {
            throw DrumlinException.during("choosing ranks that protect each other")
                    .rank(world.rank())
                    .problem(type + " cannot make good " + sums + " failures among " + ranks + " nodes")
                    .advice("set SCR_SET_FAILURES below the number of nodes and of SCR_SET_SIZE, or take another"
                            + " SCR_COPY_TYPE")
                    .exception();
        }
    }

    private RedundancySet set(CopyType type, int count, long color) throws IOException {
        long[] colors = new long[world.size()];
        colors[world.rank()] = color;
        world.allreduce(colors, Communicator.Op.SUM);
        TreeSet<Long> groups = new TreeSet<>();
        for (long each : colors) {
            groups.add(each);
        }
        int group = groups.headSet(color).size();
        return new RedundancySet(
                type, count, world.rank(), world.size(), group, groups.size(), world.split(group, world.rank()));
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
