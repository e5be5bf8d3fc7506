package io.drumlin.scr;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.Redundancy.Protected;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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

    CacheDirectory directory() {
        return directory;
    }

    /** Reads the map of this rank's files, with the attributes of each. */
    KvTree readMap() throws IOException {
        KvTree files = store.read(directory.filemap(world.rank())).get(FILE);
        return files == null ? new KvTree() : files;
    }

    /** Writes the map of this rank's files and protects both. */
    void protect(RedundancySet set, KvTree files, NodeLayout layout) throws IOException {
        Path map = directory.filemap(world.rank());
        List<Protected> data = new ArrayList<>();
        Agreement.run(world, "writing the map of cached files", () -> {
            KvTree tree = new KvTree();
            if (!files.isEmpty()) {
                tree.put(FILE, files);
            }
            store.replace(map, tree);
            if (layout.isLeader()) {
                writeState(Redundancy.MAPS, 1);
                writeState(Redundancy.DATA, 1);
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
        writeLists(layout);
    }

    /** Brings the files of each rank to the node in which it runs now. Returns the failure of this rank. */
    @Nullable
    IOException distribute(NodeLayout layout) throws IOException {
        return new CacheDistribution(store, directory, world, layout).run();
    }

    /** Writes the lists of cached files again in the nodes whose lists do not name the ranks that run there. */
    void renewLists(NodeLayout layout) throws IOException {
        long[] renew = {0};
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
            writeLists(layout);
        }
    }

    private Path list(String family) {
        return directory.metadata().resolve(family + ".er.shuffile");
    }

    /**
     * Writes one list for each node: the files that must move with each of its ranks. Requires that all of them are
     * there.
     */
    private void writeLists(NodeLayout layout) throws IOException {
        KvTree own = new KvTree();
        Agreement.run(world, "listing cached files", () -> {
            List<String> maps = List.of(directory.recorded(directory.filemap(world.rank())));
            List<String> data = List.copyOf(readMap().sorted().keys());
            own.addPath(layout.name(), Redundancy.MAPS, "RANK")
                    .put(Integer.toString(world.rank()), movable(Redundancy.MAPS, maps));
            own.addPath(layout.name(), Redundancy.DATA, "RANK")
                    .put(Integer.toString(world.rank()), movable(Redundancy.DATA, data));
        });
        KvTree all = Messages.allgather(world, own);
        Agreement.run(world, "writing the lists of cached files", () -> {
            for (String family : List.of(Redundancy.MAPS, Redundancy.DATA)) {
                KvTree list = all.find(layout.name(), family);
                if (layout.isLeader() && list != null) {
                    store.replace(list(family), list);
                    writeState(family, 2);
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
        Path map = directory.filemap(world.rank());
        boolean known = Agreement.call(world, "looking for " + map, () -> PathStatus.exists(map));
        if (!rebuildMaps()) {
            return false;
        }
        requireApart(known);
        boolean intact = Agreement.call(world, "checking cached files", this::isWhole);
        if (!new Redundancy(store, directory, Redundancy.DATA).rebuild(world, intact)) {
            return false;
        }
        boolean whole = Agreement.call(world, "checking cached files", () -> intact || isWhole());
        long[] everywhere = {whole ? 1 : 0};
        world.allreduce(everywhere, Communicator.Op.MIN);
        return everywhere[0] == 1;
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
     * Refuses to rebuild files if two ranks of a node have files with the same place.
     *
     * @param known whether this rank's map was there before; otherwise it is deleted again, so that it does not keep
     *     the ranks of this node from their files when this rank runs elsewhere
     */
    private void requireApart(boolean known) throws IOException {
        try {
            Agreement.run(world, "checking cached files", () -> {
                FilePlaces places = new FilePlaces(directory);
                for (int rank : directory.ranks().headSet(world.rank() + 1)) {
                    places.add(rank, FilePlaces.of(rank, directory, store));
                }
            });
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            if (!known) {
                store.storage().delete(directory.filemap(world.rank()));
            }
            throw e;
        }
    }

    private boolean isWhole() throws IOException {
        try {
            for (Map.Entry<String, KvTree> file : readMap().entries().entrySet()) {
                KvTree meta = file.getValue().get(META);
                Path path = directory.locate(file.getKey());
                OptionalLong crc = KvFields.number(meta, "CRC");
                if (KvFields.integer(meta, "COMPLETE").orElse(0) != 1
                        || KvFields.number(meta, "SIZE").orElse(-1) != PathStatus.size(path)
                        || (crc.isPresent() && crc.getAsLong() != store.crc32(path))) {
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
