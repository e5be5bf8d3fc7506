package io.drumlin.scr.internal.redundancy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.RootRank;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Knows which ranks share a node, and which ranks of different nodes protect each other (docs/formats/scr.md, section
 * 11).
 *
 * <p>Rank 0 alone knows the ranks of all nodes. The memory of the other ranks does not grow with the number of nodes.
 */
public final class NodeLayout implements Closeable {

    private static final String OPERATION = "choosing ranks that protect each other";

    private final Communicator world;
    private final Communicator node;
    private final SortedSet<Integer> ranks;

    /** The ranks of each node, in the order of the names of the nodes; empty on all ranks but rank 0. */
    private final List<List<Integer>> nodes = new ArrayList<>();

    /** The set of this rank for each way of protection that it was asked for. */
    private final Map<Protection, KvTree> sets = new HashMap<>();

    private record Protection(CopyType type, int failures, int size) {}

    /**
     * Finds the ranks of each node. Collective.
     *
     * @param name the name of this rank's node
     */
    public NodeLayout(Communicator world, String name) throws IOException {
        this.world = world;
        KvTree own = new KvTree();
        own.addPath(name, Integer.toString(world.rank()));
        KvTree all = Messages.gather(world, own, 0).sorted();
        all.entries().values().forEach(each -> nodes.add(List.copyOf(ranks(each))));
        int[] nodeOf = partOf(nodes);
        KvTree here = Messages.scatter(
                world,
                rank -> {
                    KvTree tree = new KvTree();
                    nodes.get(nodeOf[rank]).forEach(each -> tree.add(Integer.toString(each)));
                    return tree;
                },
                0);
        this.ranks = ranks(here);
        this.node = world.subset(ranks.stream().mapToInt(Integer::intValue).toArray());
    }

    private static SortedSet<Integer> ranks(KvTree tree) {
        SortedSet<Integer> ranks = new TreeSet<>();
        tree.keys().forEach(rank -> ranks.add(KvFields.leadingInteger(rank)));
        return ranks;
    }

    /** Returns for each rank the number of the part that has it. */
    private static int[] partOf(List<List<Integer>> parts) {
        int[] partOf = new int[parts.stream().mapToInt(List::size).sum()];
        for (int part = 0; part < parts.size(); part++) {
            for (int rank : parts.get(part)) {
                partOf[rank] = part;
            }
        }
        return partOf;
    }

    /** Returns the number of nodes on rank 0, and 0 on the other ranks. */
    public int nodes() {
        return nodes.size();
    }

    /** Returns the ranks of the job that run in this node. */
    public SortedSet<Integer> ranks() {
        return Collections.unmodifiableSortedSet(ranks);
    }

    /** Returns this rank's number among those of its node. */
    public int place() {
        return node.rank();
    }

    /** Returns whether this rank acts for its node. */
    public boolean isLeader() {
        return node.rank() == 0;
    }

    /** Joins the trees of all ranks of the node on each of them. Collective over the node. */
    public KvTree allgather(KvTree tree) throws IOException {
        return Messages.allgather(node, tree);
    }

    /**
     * Returns the set of this rank: ranks at the same place in their nodes, at least {@code size} of them. If no other
     * node has such a rank, the set is of type SINGLE. Collective.
     *
     * @throws IOException on all ranks: the ranks of a set cannot repair so many failures
     */
    public RedundancySet set(CopyType type, int failures, int size) throws IOException {
        Protection how = new Protection(type, failures, size);
        KvTree recipe = sets.get(how);
        if (recipe == null) {
            recipe = recipe(type, failures, size);
            sets.put(how, recipe);
        }
        return RedundancySet.of(recipe, world);
    }

    private KvTree recipe(CopyType type, int failures, int size) throws IOException {
        int sums = type == CopyType.RS ? failures : 1;
        CopyType effective = type == CopyType.RS && sums == 1 ? CopyType.XOR : type;
        List<List<Integer>> groups =
                RootRank.call(world, OPERATION, List.of(), () -> groups(effective, sums, Math.max(size, 1)));
        int[] groupOf = partOf(groups);
        return Messages.scatter(
                world,
                rank -> {
                    List<Integer> members = groups.get(groupOf[rank]);
                    CopyType ofSet = members.size() == 1 ? CopyType.SINGLE : effective;
                    KvTree descriptor = RedundancySet.descriptor(ofSet, sums, groupOf[rank], groups.size());
                    return RedundancySet.recipe(descriptor, members);
                },
                0);
    }

    /** Returns the ranks of each set. Single ranks are sets of their own, which come last. */
    private List<List<Integer>> groups(CopyType type, int sums, int size) throws DrumlinException {
        List<List<Integer>> groups = new ArrayList<>();
        SortedSet<Integer> single = new TreeSet<>();
        for (List<Integer> across : places()) {
            int sets = Math.max(1, across.size() / size);
            for (int number = 0; number < sets; number++) {
                List<Integer> members = across.subList(begin(number, sets, across), begin(number + 1, sets, across));
                if (type == CopyType.SINGLE || members.size() == 1) {
                    single.addAll(members);
                } else {
                    checkSums(type, sums, members.size());
                    groups.add(members.stream().sorted().toList());
                }
            }
        }
        single.forEach(rank -> groups.add(List.of(rank)));
        return groups;
    }

    /** Returns the ranks at each place in their nodes, in the order of nodes. */
    private List<List<Integer>> places() {
        List<List<Integer>> places = new ArrayList<>();
        for (List<Integer> each : nodes) {
            for (int place = 0; place < each.size(); place++) {
                if (place == places.size()) {
                    places.add(new ArrayList<>());
                }
                places.get(place).add(each.get(place));
            }
        }
        return places;
    }

    /** Returns where a set begins, so that the sizes of all sets differ by one at most. */
    private static int begin(int number, int sets, List<Integer> across) {
        return (int) (((long) number * across.size() + sets - 1) / sets);
    }

    private static void checkSums(CopyType type, int sums, int ranks) throws DrumlinException {
        if (!RedundancySet.isPossible(type, sums, ranks)) {
            throw DrumlinException.during(OPERATION)
                    .problem(type + " cannot make good " + sums + " failures among " + ranks + " nodes")
                    .advice("set SCR_SET_FAILURES below the number of nodes and of SCR_SET_SIZE, or take another"
                            + " SCR_COPY_TYPE")
                    .exception();
        }
    }

    @Override
    public void close() throws IOException {
        node.close();
    }
}
