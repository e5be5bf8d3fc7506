package io.drumlin.scr.internal.cache;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.redundancy.NodeLayout;
import io.drumlin.scr.internal.redundancy.Redundancy;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.Messages;
import io.drumlin.scr.internal.store.RootRank;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings the files of each rank of a cached dataset to the node in which the rank runs now (docs/formats/scr.md,
 * section 10).
 *
 * <p>A node that has all files of a rank that runs elsewhere offers them. The files are copied, made durable and
 * renamed, the filemap last. Only then are they deleted at the old place. After a kill, at least one of the two copies
 * is complete. Collective over the ranks of the job.
 */
final class CacheDistribution {

    private static final String OFFERED = "OFFERED";
    private static final String WANTED = "WANTED";
    private static final String RECEIVER = "RECEIVER";
    private static final String SENDER = "SENDER";
    private static final String SETTLED = "SETTLED";

    private final KvTreeStore store;
    private final CacheDirectory directory;
    private final Communicator world;
    private final NodeLayout layout;

    CacheDistribution(KvTreeStore store, CacheDirectory directory, Communicator world, NodeLayout layout) {
        this.store = store;
        this.directory = directory;
        this.world = world;
        this.layout = layout;
    }

    /**
     * What this rank does in a round.
     *
     * @param receiver rank that gets its files from this one, or {@link Messages#NOBODY}
     * @param sender rank that has files of this one, or {@link Messages#NOBODY}
     */
    private record Move(int receiver, int sender) {}

    /**
     * Moves the files. Returns the failure that kept this rank's files from arriving, or those of others from leaving;
     * {@code null} if there was none.
     */
    @Nullable
    IOException run() throws IOException {
        List<Integer> foreign = new ArrayList<>();
        Agreement.run(world, "looking for files of other nodes", () -> foreign.addAll(foreign()));
        long any = Agreement.max(world, foreign.size());
        if (any == 0) {
            return null;
        }
        Set<Path> contested = contested(foreign);
        KvTree offers = new KvTree();
        boolean whole = Agreement.call(world, "looking for files of other nodes", () -> {
            boolean own = isWhole(world.rank(), contested);
            offers.merge(offers(own, foreign, contested));
            return own;
        });
        Collection<Move> moves = plan(offers);
        IOException failure = move(moves, contested);
        boolean arrived = failure == null && moves.stream().anyMatch(each -> each.sender() != Messages.NOBODY);
        List<Integer> settled = settled(foreign, whole || arrived);
        Agreement.run(world, "deleting files that were moved", () -> {
            for (int rank : settled) {
                delete(rank, contested);
            }
        });
        return failure;
    }

    /**
     * Returns the ranks that run elsewhere and have files in this node. The ranks of the node divide them among
     * themselves.
     */
    private List<Integer> foreign() throws IOException {
        List<Integer> here = directory.ranks().stream()
                .filter(rank -> rank < world.size() && !layout.ranks().contains(rank))
                .toList();
        List<Integer> shares = new ArrayList<>();
        for (int i = layout.place(); i < here.size(); i += layout.ranks().size()) {
            shares.add(here.get(i));
        }
        return shares;
    }

    /**
     * Returns the places in this node that several ranks name: ranks that run here or whose files are here. Refuses to
     * move files if nothing tells whose file is at such a place.
     */
    private Set<Path> contested(List<Integer> foreign) throws IOException {
        KvTree own = new KvTree();
        Agreement.run(world, "looking for files of other nodes", () -> {
            own.put(Integer.toString(world.rank()), FilePlaces.of(world.rank(), directory, store));
            for (int rank : foreign) {
                own.put(Integer.toString(rank), FilePlaces.of(rank, directory, store));
            }
        });
        KvTree all = layout.allgather(Messages.joinKeys(world, own));
        return Agreement.call(world, "looking for files of other nodes", () -> {
            SortedSet<Integer> present = directory.ranks();
            SortedSet<Integer> ranks = new TreeSet<>(layout.ranks());
            ranks.addAll(present);
            FilePlaces places = new FilePlaces(directory);
            for (int rank : ranks) {
                places.add(rank, all.add(Integer.toString(rank)));
            }
            places.requireKnownOwners(present);
            return places.contested();
        });
    }

    private boolean isWhole(int rank, Set<Path> contested) throws IOException {
        try {
            KvTree map = store.read(directory.filemap(rank)).get("FILE");
            for (Map.Entry<String, KvTree> file :
                    (map == null ? new KvTree() : map).entries().entrySet()) {
                CachedFile cached = CachedFile.of(file.getValue());
                Path place = directory.locate(file.getKey());
                Path path = RankDirectory.of(directory, rank).find(place);
                if (!cached.isComplete() || cached.size().orElse(-1) != PathStatus.size(path)) {
                    return false;
                }
                if (contested.contains(place) && !cached.isIntact(path, store)) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            KvTreeStore.requireDamage(e);
            return false;
        }
    }

    /** Describes the files that this rank wants and those that it offers. */
    private KvTree offers(boolean whole, List<Integer> foreign, Set<Path> contested) throws IOException {
        KvTree own = new KvTree();
        if (!whole) {
            own.addPath(WANTED, Integer.toString(world.rank()));
        }
        for (int rank : foreign) {
            if (isWhole(rank, contested)) {
                own.addPath(OFFERED, Integer.toString(rank), Integer.toString(world.rank()));
            }
        }
        return own;
    }

    /** Returns the moves of this rank, in the order of rounds. */
    private Collection<Move> plan(KvTree own) throws IOException {
        KvTree all = Messages.gather(world, own, 0);
        KvTree plans = RootRank.call(world, "looking for files of other nodes", new KvTree(), () -> plans(all));
        KvTree rounds = Messages.scatter(world, rank -> plans.add(Integer.toString(rank)), 0);
        SortedMap<Integer, Move> moves = new TreeMap<>();
        rounds.entries()
                .forEach((round, move) -> moves.put(
                        KvFields.leadingInteger(round),
                        new Move(
                                KvFields.integer(move, RECEIVER).orElse(Messages.NOBODY),
                                KvFields.integer(move, SENDER).orElse(Messages.NOBODY))));
        return moves.values();
    }

    /** Returns the moves of each rank, by round. In each round a rank sends at most once and receives at most once. */
    private KvTree plans(KvTree all) {
        KvTree plans = new KvTree();
        Map<Integer, Integer> sent = new HashMap<>();
        for (int rank = 0; rank < world.size(); rank++) {
            KvTree senders = all.find(OFFERED, Integer.toString(rank));
            if (senders != null && all.find(WANTED, Integer.toString(rank)) != null) {
                int sender = KvFields.leadingInteger(senders.first().orElseThrow());
                String round = Integer.toString(sent.merge(sender, 1, Integer::sum));
                plans.addPath(Integer.toString(rank), round).set(SENDER, sender);
                plans.addPath(Integer.toString(sender), round).set(RECEIVER, rank);
            }
        }
        return plans;
    }

    /** Carries out the moves. Returns the failure of this rank. */
    private @Nullable IOException move(Collection<Move> moves, Set<Path> contested) {
        FileMove files = new FileMove(world, store, new RankDirectory(directory, world.rank(), contested));
        IOException failure = null;
        for (Move move : moves) {
            try {
                files.run(
                        () -> move.receiver() == Messages.NOBODY ? Map.of() : files(move.receiver()),
                        move.receiver(),
                        move.sender());
            } catch (IOException e) {
                failure = e;
            }
        }
        return failure;
    }

    /** Returns which of some ranks have their files in the nodes in which they run. */
    private List<Integer> settled(List<Integer> ranks, boolean own) throws IOException {
        KvTree tree = new KvTree();
        ranks.forEach(rank -> tree.add(Integer.toString(rank)));
        if (own) {
            tree.addPath(Integer.toString(world.rank()), SETTLED);
        }
        KvTree joined = Messages.joinKeys(world, tree);
        return ranks.stream()
                .filter(rank -> joined.find(Integer.toString(rank), SETTLED) != null)
                .toList();
    }

    /**
     * Returns the places of the files of a rank, and where the files are. The filemap comes last, because the others
     * count only once it is there.
     */
    private Map<Path, Path> files(int rank) throws IOException {
        Map<Path, Path> files = new LinkedHashMap<>(dataFiles(rank));
        directory.redundancyFiles(Redundancy.DATA, rank).forEach(file -> files.put(file, file));
        directory.redundancyFiles(Redundancy.MAPS, rank).forEach(file -> files.put(file, file));
        files.put(directory.filemap(rank), directory.filemap(rank));
        return files;
    }

    private Map<Path, Path> dataFiles(int rank) throws IOException {
        Map<Path, Path> files = new LinkedHashMap<>();
        for (String name : FilePlaces.of(rank, directory, store).keys()) {
            Path place = directory.path().resolve(name);
            files.put(place, RankDirectory.of(directory, rank).find(place));
        }
        return files;
    }

    /**
     * Deletes the files of a rank. The filemap goes first, durably: without it the others do not count, whatever a
     * crash leaves of them. A file that it shares with another rank stays.
     */
    private void delete(int rank, Set<Path> contested) throws IOException {
        Map<Path, Path> files = files(rank);
        Set<Path> shared = new HashSet<>();
        if (!Collections.disjoint(files.keySet(), contested)) {
            for (int other : directory.ranks()) {
                shared.addAll(other == rank ? List.of() : dataFiles(other).values());
            }
        }
        store.storage().delete(directory.filemap(rank));
        store.storage().syncDirectory(directory.metadata());
        for (Path file : files.values()) {
            if (!shared.contains(file)) {
                store.storage().delete(file);
            }
        }
    }
}
