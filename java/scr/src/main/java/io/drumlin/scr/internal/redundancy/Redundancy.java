package io.drumlin.scr.internal.redundancy;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.scr.internal.store.FileStat;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Protects files in the nodes against the loss of nodes, and rebuilds them (docs/formats/scr.md, section 11).
 *
 * <p>Each rank has files of its own. Every call is collective over all ranks of the job. The redundancy files equal
 * those of SCR byte for byte.
 */
public final class Redundancy {

    /** Protects the data files. */
    public static final String DATA = "reddesc";

    /** Protects the maps of the data files. */
    public static final String MAPS = "reddescmap";

    private static final String DESC = RedundancySet.DESC;
    private static final String CHUNK = "CHUNK";

    private final KvTreeStore store;
    private final DatasetDirectory directory;
    private final String family;

    public Redundancy(KvTreeStore store, DatasetDirectory directory, String family) {
        this.store = store;
        this.directory = directory;
        this.family = family;
    }

    /**
     * A file of this rank.
     *
     * @param name its name in SCR's files
     * @param stat its system attributes
     */
    public record Protected(String name, KvTree stat) {}

    /** Writes the redundancy files of this rank's files. */
    public void encode(RedundancySet set, List<Protected> files) throws IOException {
        KvTree own = new KvTree();
        Agreement.run(set.comm(), "protecting " + directory.metadata(), () -> own.merge(member(set, files)));
        KvTree members = new KvTree();
        members.put(Integer.toString(set.rank()), own);
        for (int distance = 1; distance <= set.neighbours(); distance++) {
            int left = set.right(-distance);
            members.put(Integer.toString(left), Messages.exchange(set.comm(), own, set.right(distance), left));
        }
        long largest = Agreement.max(set.comm(), size(own));
        KvTree header = header(set, members, chunk(set, largest), worldRanks(set));
        try (RedundancyTransfer transfer = open(set, header, true)) {
            transfer.encode();
        }
        Agreement.run(set.comm(), "protecting " + directory.metadata(), () -> writeMembership(set, members));
    }

    private KvTree member(RedundancySet set, List<Protected> files) {
        KvTree member = new KvTree();
        member.put(DESC, set.descriptor());
        member.set("FILES", files.size());
        member.add("FILE");
        for (int i = 0; i < files.size(); i++) {
            Protected file = files.get(i);
            member.addPath("FILE", Integer.toString(i)).put(file.name(), FileStat.part(file.stat()));
        }
        return member;
    }

    private static OptionalLong chunk(RedundancySet set, long largest) {
        return set.type() == CopyType.XOR || set.type() == CopyType.RS
                ? OptionalLong.of(set.code().chunkBytes(largest))
                : OptionalLong.empty();
    }

    /** Returns the world ranks of the members, in the order of the set. */
    private static KvTree worldRanks(RedundancySet set) throws IOException {
        KvTree own = new KvTree();
        own.addPath(Integer.toString(set.rank()), Integer.toString(set.worldRank()));
        return Messages.allgather(set.comm(), own);
    }

    private static KvTree header(RedundancySet set, KvTree members, OptionalLong chunk, KvTree worldRanks) {
        KvTree header = new KvTree();
        header.put(DESC, members);
        header.set("RANK", set.rank());
        if (chunk.isPresent()) {
            header.set(CHUNK, chunk.getAsLong());
            KvTree group = header.add("GROUP");
            group.set("RANKS", set.size());
            group.put("RANK", worldRanks);
        }
        return header.sorted();
    }

    private void writeMembership(RedundancySet set, KvTree members) throws IOException {
        KvTree membership = new KvTree();
        for (KvTree member : members.entries().values()) {
            KvTree descriptor = member.get(DESC);
            if (descriptor != null) {
                membership.add(descriptor.value("WRANK").orElse("")).put(DESC, descriptor.copy());
            }
        }
        store.replace(
                directory.metadata().resolve(RedundancySet.membershipName(family, set.worldRank())),
                membership.sorted());
    }

    /**
     * Rebuilds lost files and their redundancy files.
     *
     * @param intact whether this rank has its files, as far as it knows; otherwise it counts as lost
     * @return whether all ranks have all their files now; if not, nothing was changed
     */
    public boolean rebuild(Communicator world, boolean intact) throws IOException {
        KvTree own = new KvTree();
        Agreement.run(
                world,
                "reading " + directory.metadata(),
                () -> own.merge(store.readIfWhole(
                        directory.metadata().resolve(RedundancySet.membershipName(family, world.rank())))));
        KvTree memberships = Messages.gather(world, own, 0);
        Map<Integer, List<Integer>> sets = RootRank.call(
                world, "reading " + directory.metadata(), Map.of(), () -> sets(memberships, world.size()));
        KvTree recipe = Messages.scatter(world, rank -> recipe(memberships, sets, rank), 0);
        if (recipe.isEmpty()) {
            return false;
        }
        try (RedundancySet set = RedundancySet.of(recipe, world)) {
            return rebuild(set, world, intact, true);
        }
    }

    /**
     * Returns the ranks of each set, in its order, by the number of its group; none if the description of a rank is
     * missing or impossible.
     */
    private static Map<Integer, List<Integer>> sets(KvTree memberships, int ranks) {
        Map<Integer, List<Integer>> sets = new HashMap<>();
        for (int rank = 0; rank < ranks; rank++) {
            KvTree descriptor = memberships.find(Integer.toString(rank), DESC);
            if (descriptor == null || !RedundancySet.isPossible(descriptor, ranks)) {
                return Map.of();
            }
            sets.computeIfAbsent(field(memberships, rank, "GROUP"), each -> new ArrayList<>())
                    .add(rank);
        }
        sets.values().forEach(each -> each.sort(Comparator.comparingInt(rank -> field(memberships, rank, "RANK"))));
        return sets;
    }

    private static int field(KvTree memberships, int rank, String key) {
        return KvFields.integer(memberships.find(Integer.toString(rank), DESC), key)
                .orElseThrow();
    }

    /** Returns what a rank must know to make its set; nothing if there are no sets. */
    private static KvTree recipe(KvTree memberships, Map<Integer, List<Integer>> sets, int rank) {
        if (sets.isEmpty()) {
            return new KvTree();
        }
        List<Integer> members = Objects.requireNonNull(sets.get(field(memberships, rank, "GROUP")));
        KvTree descriptor = memberships.addPath(Integer.toString(rank), DESC);
        return RedundancySet.recipe(descriptor, members);
    }

    /**
     * Rebuilds the files of one set, whatever other sets have lost. The ranks of the set take part.
     *
     * @return whether they have all their files now; if not, nothing was changed
     */
    public boolean rebuildAlone(RedundancySet set) throws IOException {
        return rebuild(set, set.comm(), true, false);
    }

    /**
     * @param world ranks that decide together whether a rebuild is possible
     * @param membership whether the rebuild includes the files that record the members of each set
     */
    private boolean rebuild(RedundancySet set, Communicator world, boolean intact, boolean membership)
            throws IOException {
        @Nullable KvTree[] header = new KvTree[1];
        boolean[] looked = {false};
        Agreement.run(world, "checking " + directory.metadata(), () -> {
            header[0] = readHeader(set);
            looked[0] = intact && isWhole(set, header[0]) && (!membership || hasMembership(set));
        });
        @Nullable KvTree known = header[0];
        boolean whole = looked[0];
        List<Integer> lost = lost(set, whole);
        if (!Agreement.all(world, isPossible(set, lost))) {
            return false;
        }
        // A failure in one set is reported to all ranks. Otherwise the others would continue without it.
        Agreement.run(world, "rebuilding " + directory.metadata(), () -> {
            if (!lost.isEmpty()) {
                Redundancy remaking = whole ? this : new Redundancy(store, directory.forWriting(), family);
                remaking.remake(set, known, whole, lost, membership);
            }
        });
        return true;
    }

    /** Rebuilds the lost files of a set. The ranks of the set take part. */
    private void remake(
            RedundancySet set, @Nullable KvTree known, boolean whole, List<Integer> lost, boolean membership)
            throws IOException {
        KvTree shared = new KvTree();
        if (whole && known != null) {
            shared.put(DESC, Objects.requireNonNull(known.get(DESC)).copy());
            known.value(CHUNK).ifPresent(chunk -> shared.set(CHUNK, chunk));
        }
        KvTree all = Messages.allgather(set.comm(), shared);
        KvTree members = new KvTree();
        for (int distance = 0; distance <= set.neighbours(); distance++) {
            String rank = Integer.toString(set.right(-distance));
            KvTree member = all.find(DESC, rank);
            members.put(rank, member == null ? new KvTree() : member);
        }
        KvTree header = header(set, members, KvFields.number(all, CHUNK), worldRanks(set));
        Agreement.run(set.comm(), "rebuilding " + directory.metadata(), () -> makeDirectories(header, set));
        try (RedundancyTransfer transfer = open(set, header, !whole)) {
            transfer.rebuild(lost);
        }
        Agreement.run(set.comm(), "rebuilding " + directory.metadata(), () -> {
            if (!whole) {
                restoreStats(header, set);
                if (membership) {
                    writeMembership(set, members);
                }
            }
        });
    }

    private static List<Integer> lost(RedundancySet set, boolean whole) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(set.size());
        set.comm().allgather(ByteBuffer.allocate(1).put(0, (byte) (whole ? 0 : 1)), all);
        List<Integer> lost = new ArrayList<>();
        for (int rank = 0; rank < set.size(); rank++) {
            if (all.get(rank) != 0) {
                lost.add(rank);
            }
        }
        return lost;
    }

    private static boolean isPossible(RedundancySet set, List<Integer> lost) {
        if (lost.isEmpty()) {
            return true;
        }
        return switch (set.type()) {
            case SINGLE -> false;
            case PARTNER -> lost.stream().allMatch(rank -> RedundancyTransfer.holder(set, lost, rank) > 0);
            case XOR, RS -> lost.size() <= set.count();
        };
    }

    private @Nullable KvTree readHeader(RedundancySet set) throws IOException {
        KvTree header = store.readIfWhole(directory.metadata().resolve(set.fileName(family)));
        return header.isEmpty() ? null : header;
    }

    private boolean hasMembership(RedundancySet set) throws IOException {
        return PathStatus.exists(directory.metadata().resolve(RedundancySet.membershipName(family, set.worldRank())));
    }

    /** Returns whether this rank has its files and its redundancy file. */
    private boolean isWhole(RedundancySet set, @Nullable KvTree header) throws IOException {
        KvTree own = header == null ? null : header.find(DESC, Integer.toString(set.rank()));
        try {
            return header != null && own != null && hasFiles(set, header, own);
        } catch (IOException e) {
            KvTreeStore.requireDamage(e);
            return false;
        }
    }

    private boolean hasFiles(RedundancySet set, KvTree header, KvTree own) throws IOException {
        Path file = directory.metadata().resolve(set.fileName(family));
        long length = store.treeLength(file) + RedundancyTransfer.payload(set, header, this);
        if (PathStatus.size(file) < length) {
            return false;
        }
        for (LogicalFile.Part part : parts(own)) {
            if (!PathStatus.isRegularFile(part.path()) || PathStatus.size(part.path()) != part.size()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the files of this rank, in the order of protection. */
    List<LogicalFile.Part> parts(KvTree own) throws IOException {
        List<LogicalFile.Part> parts = new ArrayList<>();
        for (Map.Entry<String, Long> file : sizes(own).entrySet()) {
            parts.add(new LogicalFile.Part(directory.locate(file.getKey()), file.getValue()));
        }
        return parts;
    }

    /** Returns the size in bytes of all files of a member of a set. */
    long size(KvTree member) throws DrumlinException {
        return sizes(member).values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the size in bytes of each file of a member, in the order of protection. */
    private Map<String, Long> sizes(KvTree member) throws DrumlinException {
        Map<String, Long> sizes = new LinkedHashMap<>();
        int count = KvFields.integer(member, "FILES").orElse(0);
        for (int i = 0; i < count; i++) {
            KvTree file = member.find("FILE", Integer.toString(i));
            String name = file == null ? "" : file.first().orElse("");
            OptionalLong size = KvFields.number(file == null ? null : file.get(name), "SIZE");
            if (size.isEmpty() || size.getAsLong() < 0) {
                throw DrumlinException.during("reading redundancy files")
                        .path(directory.metadata())
                        .problem("file " + i + " of a rank has no name or SIZE")
                        .exception();
            }
            sizes.put(name, size.getAsLong());
        }
        return sizes;
    }

    private static KvTree own(KvTree header, RedundancySet set) {
        KvTree own = header.find(DESC, Integer.toString(set.rank()));
        return own == null ? new KvTree() : own;
    }

    private void makeDirectories(KvTree header, RedundancySet set) throws IOException {
        Files.createDirectories(directory.metadata());
        for (LogicalFile.Part part : parts(own(header, set))) {
            Path parent = part.path().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
        }
    }

    private void restoreStats(KvTree header, RedundancySet set) throws IOException {
        KvTree files = own(header, set).get("FILE");
        if (files != null) {
            for (KvTree file : files.entries().values()) {
                for (Map.Entry<String, KvTree> stat : file.entries().entrySet()) {
                    FileStat.restore(directory.locate(stat.getKey()), stat.getValue());
                }
            }
        }
    }

    /** Opens the files of this rank for reading or, if they were lost, for rebuilding. */
    private RedundancyTransfer open(RedundancySet set, KvTree header, boolean lost) throws IOException {
        Path path = directory.metadata().resolve(set.fileName(family));
        return Agreement.open(set.comm(), "opening the redundancy file of " + directory.metadata(), () -> {
            long length = lost ? KvTreeFile.encode(header).remaining() : store.treeLength(path);
            BlockFile file = lost
                    ? store.openPrivate(path, OpenMode.READ)
                    : store.storage().open(path, EnumSet.of(OpenMode.READ));
            return new RedundancyTransfer(set, header, this, file, length);
        });
    }

    KvTreeStore store() {
        return store;
    }
}
