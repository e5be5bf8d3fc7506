package io.drumlin.scr.internal.cache;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.redundancy.NodeLayout;
import io.drumlin.scr.internal.redundancy.Redundancy;
import io.drumlin.scr.internal.redundancy.Redundancy.Protected;
import io.drumlin.scr.internal.redundancy.RedundancySet;
import io.drumlin.scr.internal.store.FileStat;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A dataset in the caches of the nodes (docs/formats/scr.md, sections 10 and 11): each rank's files, their map, and the
 * redundancy files of both. All calls are collective over the ranks of the job. Not thread-safe.
 */
public final class CachedDataset {

    private static final String FILE = "FILE";
    private static final String META = "META";

    /** States of redundancy files; SCR makes nothing again from those that are being changed. */
    private static final int CHANGING = 1;

    private static final int ENCODED = 2;

    private final KvTreeStore store;
    private final CacheDirectory directory;
    private final Communicator world;

    /**
     * Names the part of a dataset that is in this rank's node. It need not exist.
     *
     * @param directory the directory of the dataset in this node
     * @param recorded the path that its files record for that directory; it differs only if the directory was moved
     * @param world all ranks of the job
     * @param storage the engine that writes the files
     */
    public CachedDataset(Path directory, Path recorded, Communicator world, StorageEngine storage) {
        this.store = new KvTreeStore(storage);
        this.directory = new CacheDirectory(directory, recorded);
        this.world = world;
    }

    public CacheDirectory directory() {
        return directory;
    }

    /** Reads the map of this rank's files, with the attributes of each. */
    public KvTree readMap() throws IOException {
        KvTree files = store.read(directory.filemap(world.rank())).get(FILE);
        return files == null ? new KvTree() : files;
    }

    /** Returns how many ranks wrote the dataset, as far as this node knows; 0 if it does not. Not collective. */
    int readRanks() throws IOException {
        for (int rank : directory.ranks()) {
            Path membership = directory.metadata().resolve(RedundancySet.membershipName(Redundancy.MAPS, rank));
            KvTree set = store.readIfWhole(membership).find(Integer.toString(rank), RedundancySet.DESC);
            int ranks = KvFields.integer(set, "WRANKS").orElse(0);
            if (ranks > 0) {
                return ranks;
            }
        }
        return 0;
    }

    /** Returns the directory of a file below the prefix directory, if this node has a file. Not collective. */
    Optional<Path> findPlace() throws IOException {
        for (int rank : directory.ranks()) {
            KvTree files = store.readIfWhole(directory.filemap(rank)).add(FILE);
            Optional<String> path = files.entries().values().stream()
                    .flatMap(file -> CachedFile.of(file).meta().value("PATH").stream())
                    .findFirst();
            if (path.isPresent()) {
                return Optional.of(StoredNames.path(path.get()).normalize());
            }
        }
        return Optional.empty();
    }

    /** Writes the map of a rank's files. Not collective. */
    public static void writeMap(KvTreeStore store, Path path, KvTree files) throws IOException {
        KvTree tree = new KvTree();
        if (!files.isEmpty()) {
            tree.put(FILE, files);
        }
        store.replace(path, tree);
    }

    /** Writes the map of this rank's files and protects both. */
    void protect(RedundancySet set, KvTree files, NodeLayout layout) throws IOException {
        Path map = directory.filemap(world.rank());
        List<Protected> data = new ArrayList<>();
        Agreement.run(world, "writing the map of cached files", () -> {
            writeMap(store, map, files);
            if (layout.isLeader()) {
                writeState(Redundancy.MAPS, CHANGING);
                writeState(Redundancy.DATA, CHANGING);
            }
            for (Map.Entry<String, KvTree> file : files.sorted().entries().entrySet()) {
                KvTree meta = file.getValue().get(META);
                data.add(new Protected(file.getKey(), meta == null ? new KvTree() : meta));
            }
        });
        // A failure in one set is reported to all ranks. Otherwise the others would continue without it.
        Agreement.run(world, "protecting " + directory.metadata(), () -> {
            new Redundancy(store, directory, Redundancy.MAPS)
                    .encode(set, List.of(new Protected(directory.recorded(map), FileStat.of(map))));
            new Redundancy(store, directory, Redundancy.DATA).encode(set, data);
        });
        writeLists(layout, ENCODED);
    }

    /** Brings the files of each rank to the node in which it runs now. Returns the failure of this rank. */
    @Nullable
    IOException distribute(NodeLayout layout) throws IOException {
        return new CacheDistribution(store, directory, world, layout).run();
    }

    /**
     * Moves files that were kept apart to their places, as far as these are free now, and writes the lists of cached
     * files again in the nodes whose lists do not name the ranks that run there. If files remain apart, the lists say
     * that SCR must not use the dataset.
     *
     * @return the number of files of all ranks that remain apart
     */
    long renewLists(NodeLayout layout) throws IOException {
        long[] apart = {Agreement.call(world, "moving cached files to their places", this::takePlaces)};
        world.allreduce(apart, Communicator.Op.SUM);
        long[] renew = {apart[0] > 0 ? 1 : 0};
        Agreement.run(world, "reading the lists of cached files", () -> {
            if (layout.isLeader()) {
                for (String family : List.of(Redundancy.MAPS, Redundancy.DATA)) {
                    KvTree ranks = store.readIfWhole(list(family)).get("RANK");
                    SortedSet<Integer> listed = new TreeSet<>();
                    (ranks == null ? new KvTree() : ranks)
                            .keys()
                            .forEach(rank -> listed.add(KvFields.leadingInteger(rank)));
                    renew[0] |= listed.equals(layout.ranks()) ? 0 : 1;
                }
            }
        });
        world.allreduce(renew, Communicator.Op.MAX);
        if (renew[0] == 1) {
            writeLists(layout, apart[0] > 0 ? CHANGING : ENCODED);
        }
        return apart[0];
    }

    /** Returns the number of this rank's files that remain apart. */
    private long takePlaces() throws IOException {
        Set<Path> contested = places().contested();
        RankDirectory own = new RankDirectory(directory, world.rank(), contested);
        long apart = 0;
        for (String name : FilePlaces.of(world.rank(), directory, store).keys()) {
            Path place = directory.path().resolve(name);
            if (own.isApart(place)) {
                boolean free = !contested.contains(place) && !PathStatus.exists(place);
                apart += free ? 0 : 1;
                if (free) {
                    move(own.apart(place), place);
                }
            }
        }
        return apart;
    }

    private void move(Path file, Path place) throws IOException {
        Path parent = Objects.requireNonNull(place.getParent(), "it is below the dataset");
        store.makeDirectory(parent);
        store.storage().rename(file, place);
        store.storage().syncDirectory(parent);
    }

    private Path list(String family) {
        return directory.metadata().resolve(family + ".er.shuffile");
    }

    /**
     * Writes one list for each node: the files that must move with each of its ranks. Requires that all of them are
     * there.
     *
     * @param state the state of the redundancy files of the data
     */
    private void writeLists(NodeLayout layout, int state) throws IOException {
        KvTree own = new KvTree();
        Agreement.run(world, "listing cached files", () -> {
            List<String> maps = List.of(directory.recorded(directory.filemap(world.rank())));
            List<String> data = List.copyOf(readMap().sorted().keys());
            own.addPath(Redundancy.MAPS, "RANK").put(Integer.toString(world.rank()), movable(Redundancy.MAPS, maps));
            own.addPath(Redundancy.DATA, "RANK").put(Integer.toString(world.rank()), movable(Redundancy.DATA, data));
        });
        KvTree all = layout.allgather(own);
        Agreement.run(world, "writing the lists of cached files", () -> {
            for (String family : List.of(Redundancy.MAPS, Redundancy.DATA)) {
                KvTree list = all.get(family);
                if (layout.isLeader() && list != null) {
                    store.replace(list(family), list);
                    writeState(family, family.equals(Redundancy.DATA) ? state : ENCODED);
                }
            }
        });
    }

    private KvTree movable(String family, List<String> files) throws IOException {
        List<String> names = new ArrayList<>(files);
        directory.redundancyFiles(family, world.rank()).forEach(file -> names.add(directory.recorded(file)));
        KvTree movable = new KvTree();
        movable.set("FILES", names.size());
        names.forEach(name -> movable.add(FILE).add(name));
        return movable;
    }

    private void writeState(String family, int state) throws IOException {
        KvTree tree = new KvTree();
        tree.set("STATE", state);
        store.replace(directory.metadata().resolve(family + ".er.er"), tree);
    }

    /**
     * Rebuilds the files that nodes have lost, as far as their sets allow it, and checks that every file is as it was
     * written. Collective.
     *
     * @return whether all ranks have all their files now
     * @throws IOException a file could not be read or written
     */
    public boolean rebuild() throws IOException {
        SortedSet<Integer> known = Agreement.call(world, "looking for the maps of cached files", directory::ranks);
        if (!rebuildMaps()) {
            return false;
        }
        RankDirectory own = new RankDirectory(directory, world.rank(), contested(known));
        boolean mapped = known.contains(world.rank());
        boolean intact = Agreement.call(world, "checking cached files", () -> isWhole(own, mapped));
        if (!new Redundancy(store, own, Redundancy.DATA).rebuild(world, intact)) {
            return false;
        }
        boolean whole = Agreement.call(world, "checking cached files", () -> intact || isWhole(own, true));
        return Agreement.all(world, whole);
    }

    /**
     * Rebuilds the lost maps. If the files of a dataset went straight to the prefix directory, it can lose nothing
     * else. Collective.
     *
     * @return whether all ranks have their map now
     * @throws IOException a file could not be read or written
     */
    public boolean rebuildMaps() throws IOException {
        return new Redundancy(store, directory, Redundancy.MAPS).rebuild(world, true);
    }

    /**
     * Returns the places in this node that several ranks name. Refuses to rebuild files if nothing tells whose file is
     * at such a place.
     *
     * @param known the ranks whose maps were here before; if this rank's was not, it is deleted again after a refusal,
     *     so that it does not keep the ranks of this node from their files when this rank runs elsewhere
     */
    private Set<Path> contested(SortedSet<Integer> known) throws IOException {
        try {
            return Agreement.call(world, "checking cached files", () -> {
                FilePlaces places = places();
                places.requireKnownOwners(known);
                return places.contested();
            });
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            if (!known.contains(world.rank())) {
                store.storage().delete(directory.filemap(world.rank()));
            }
            throw e;
        }
    }

    /** Returns what the maps in this node name. */
    private FilePlaces places() throws IOException {
        FilePlaces places = new FilePlaces(directory);
        for (int rank : directory.ranks()) {
            places.add(rank, FilePlaces.of(rank, directory, store));
        }
        return places;
    }

    /** @param mapped whether this rank's map was here; otherwise a file at a contested place is not known to be its own */
    private boolean isWhole(RankDirectory own, boolean mapped) throws IOException {
        try {
            for (Map.Entry<String, KvTree> file : readMap().entries().entrySet()) {
                CachedFile cached = CachedFile.of(file.getValue());
                Path place = directory.locate(file.getKey());
                Path path = own.find(place);
                if (!cached.isComplete()
                        || cached.size().orElse(-1) != PathStatus.size(path)
                        || (!mapped && own.contested().contains(place))
                        || !cached.isIntact(path, store)) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            KvTreeStore.requireDamage(e);
            return false;
        }
    }
}
