package io.drumlin.scr.internal.redundancy;

import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.integrity.Gf256;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.store.KvFields;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Ranks of different nodes that protect each other (docs/formats/scr.md, section 11).
 *
 * @param type the kind of protection
 * @param count number of copies for PARTNER, of sums for RS; 1 otherwise
 * @param worldRank the world rank of this process
 * @param worldRanks number of ranks of the job
 * @param group number of the set, from 0
 * @param groups number of sets
 * @param comm the ranks of the set
 */
public record RedundancySet(
        CopyType type, int count, int worldRank, int worldRanks, int group, int groups, Communicator comm)
        implements Closeable {

    /** The description of a rank in the files of redundancy. */
    public static final String DESC = "DESC";

    private static final String MEMBERS = "MEMBERS";

    /**
     * Returns what a rank must know to make its set.
     *
     * @param descriptor the description of the rank, or the part of it that is the same for the whole set
     * @param ranks the world ranks of the set, in its order
     */
    static KvTree recipe(KvTree descriptor, List<Integer> ranks) {
        KvTree recipe = new KvTree();
        recipe.put(DESC, descriptor.copy());
        ranks.forEach(rank -> recipe.addPath(MEMBERS, Integer.toString(rank)));
        return recipe;
    }

    /** Makes the set from its {@link #recipe}. Collective over the ranks of the job. */
    static RedundancySet of(KvTree recipe, Communicator world) throws IOException {
        int[] ranks = recipe.add(MEMBERS).keys().stream()
                .mapToInt(KvFields::leadingInteger)
                .toArray();
        return of(recipe.add(DESC), world.rank(), world.size(), world.subset(ranks));
    }

    /** Makes the set from the description in its files, with a communicator that its ranks already have. */
    public static RedundancySet of(KvTree descriptor, int worldRank, int worldRanks, Communicator comm) {
        CopyType type = CopyType.valueOf(descriptor.value("TYPE").orElseThrow());
        return new RedundancySet(
                type,
                count(type, descriptor),
                worldRank,
                worldRanks,
                KvFields.integer(descriptor, "GROUP").orElseThrow(),
                KvFields.integer(descriptor, "GROUPS").orElseThrow(),
                comm);
    }

    /** Returns whether a description can be that of a set in a job of so many ranks. */
    public static boolean isPossible(KvTree descriptor, int worldRanks) {
        String name = descriptor.value("TYPE").orElse("");
        Optional<CopyType> type = Stream.of(CopyType.values())
                .filter(each -> each.name().equals(name))
                .findFirst();
        int group = KvFields.integer(descriptor, "GROUP").orElse(-1);
        int groups = KvFields.integer(descriptor, "GROUPS").orElse(-1);
        int rank = KvFields.integer(descriptor, "RANK").orElse(-1);
        int ranks = KvFields.integer(descriptor, "RANKS").orElse(-1);
        return type.isPresent()
                && KvFields.integer(descriptor, "WRANKS").orElse(-1) == worldRanks
                && group >= 0
                && group < groups
                && rank >= 0
                && rank < ranks
                && isPossible(type.get(), count(type.get(), descriptor), ranks);
    }

    /** Returns whether so many ranks can protect each other in this way. */
    static boolean isPossible(CopyType type, int count, int ranks) {
        return type == CopyType.SINGLE
                || (count > 0 && count < ranks && (type != CopyType.RS || ranks + count <= Gf256.SIZE));
    }

    private static int count(CopyType type, KvTree descriptor) {
        return switch (type) {
            case RS -> KvFields.integer(descriptor, "CKSUM").orElse(0);
            case PARTNER -> KvFields.integer(descriptor, "REPLICAS").orElse(1);
            case SINGLE, XOR -> 1;
        };
    }

    int rank() {
        return comm.rank();
    }

    int size() {
        return comm.size();
    }

    /** Returns the rank of the set that is {@code distance} places to the right. */
    int right(int distance) {
        return Math.floorMod(rank() + distance, size());
    }

    /** Returns the number of ranks to the left whose files are recorded at this rank. */
    int neighbours() {
        return type == CopyType.SINGLE ? 0 : count;
    }

    StripeCode code() {
        return type == CopyType.RS ? StripeCode.reedSolomon(size(), count) : StripeCode.xor(size());
    }

    /** Returns the description of this rank for the files. */
    KvTree descriptor() {
        KvTree tree = descriptor(type, count, group, groups);
        tree.set("ENABLED", 1);
        tree.set("RANK", rank());
        tree.set("RANKS", size());
        tree.set("WRANK", worldRank);
        tree.set("WRANKS", worldRanks);
        return tree;
    }

    /** Returns the part of the description that is the same for all ranks of a set. */
    static KvTree descriptor(CopyType type, int count, int group, int groups) {
        KvTree tree = new KvTree();
        if (type == CopyType.RS) {
            tree.set("CKSUM", count);
        }
        tree.set("GROUP", group);
        tree.set("GROUPS", groups);
        if (type == CopyType.PARTNER) {
            tree.set("REPLICAS", count);
        }
        tree.set("TYPE", type.name());
        return tree;
    }

    /** Returns the name of the file with the redundancy data. */
    public String fileName(String family) {
        return String.format(
                Locale.ROOT,
                "%s.er.%d.%s.grp_%d_of_%d.mem_%d_of_%d.redset",
                family,
                worldRank,
                type.name().toLowerCase(Locale.ROOT),
                group + 1,
                groups,
                rank() + 1,
                size());
    }

    /** Returns the name of the file that records the set of this rank. */
    public static String membershipName(String family, int worldRank) {
        return family + ".er." + worldRank + ".redset";
    }

    @Override
    public void close() throws IOException {
        comm.close();
    }
}
