package io.drumlin.scr;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.Redundancy.Protected;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A dataset in the caches of the nodes (docs/formats/scr.md, sections 10 and 11): each rank's files, the map of them, and
 * what protects both. All calls are collective over the ranks of the job. Not thread-safe.
 */
public final class CachedDataset {

    private static final String FILE = "FILE";
    private static final String META = "META";

    private final KvTreeStore store;
    private final CacheDirectory directory;
    private final Communicator world;

    /**
     * Names the part of a dataset that is in this rank's node; it need not exist.
     *
     * @param directory of the dataset in this node
     * @param recorded what its files call that directory; the same unless it was moved
     * @param world all ranks of the job
     * @param storage how files are written
     */
    public CachedDataset(Path directory, Path recorded, Communicator world, StorageEngine storage) {
        this.store = new KvTreeStore(storage);
        this.directory = new CacheDirectory(directory, recorded);
        this.world = world;
    }

    CacheDirectory directory() {
        return directory;
    }

    /** The files of this rank and what is known of each. */
    KvTree readMap() throws IOException {
        KvTree files = store.read(directory.filemap(world.rank())).get(FILE);
        return files == null ? new KvTree() : files;
    }

    /** Writes the map of this rank's files and protects both. */
    void protect(RedundancySet set, KvTree files, String node, boolean leader) throws IOException {
        Path map = directory.filemap(world.rank());
        List<Protected> data = new ArrayList<>();
        Agreement.run(world, "writing the map of cached files", () -> {
            KvTree tree = new KvTree();
            if (!files.isEmpty()) {
                tree.put(FILE, files);
            }
            store.replace(map, tree);
            if (leader) {
                writeState(Redundancy.MAPS, 1);
                writeState(Redundancy.DATA, 1);
            }
            for (Map.Entry<String, KvTree> file : files.sorted().entries().entrySet()) {
                KvTree meta = file.getValue().get(META);
                data.add(new Protected(file.getKey(), meta == null ? new KvTree() : meta));
            }
        });
        new Redundancy(store, directory, Redundancy.MAPS)
                .encode(set, List.of(new Protected(directory.recorded(map), FileStat.of(map))));
        new Redundancy(store, directory, Redundancy.DATA).encode(set, data);
        writeLists(set, node, leader, data);
    }

    /** What shall move with each rank, and that all is there: one file for each node. */
    private void writeLists(RedundancySet set, String node, boolean leader, List<Protected> data) throws IOException {
        List<String> names = data.stream().map(Protected::name).toList();
        KvTree maps = movable(set, Redundancy.MAPS, List.of(directory.recorded(directory.filemap(world.rank()))));
        KvTree files = movable(set, Redundancy.DATA, names);
        KvTree own = new KvTree();
        own.addPath(node, Redundancy.MAPS, "RANK").put(Integer.toString(world.rank()), maps);
        own.addPath(node, Redundancy.DATA, "RANK").put(Integer.toString(world.rank()), files);
        KvTree all = Messages.allgather(world, own);
        Agreement.run(world, "writing the lists of cached files", () -> {
            for (String family : List.of(Redundancy.MAPS, Redundancy.DATA)) {
                KvTree list = all.find(node, family);
                if (leader && list != null) {
                    store.replace(directory.metadata().resolve(family + ".er.shuffile"), list);
                    writeState(family, 2);
                }
            }
        });
    }

    private KvTree movable(RedundancySet set, String family, List<String> files) {
        List<String> names = new ArrayList<>(files);
        for (String name : List.of(RedundancySet.membershipName(family, world.rank()), set.fileName(family))) {
            names.add(directory.recorded(directory.metadata().resolve(name)));
        }
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
     * Makes again what nodes have lost, as far as their sets allow it, and looks whether every file is as it was written.
     * Collective.
     *
     * @return whether all ranks have all their files now
     * @throws IOException a file could not be read or written
     */
    public boolean rebuild() throws IOException {
        if (!rebuildMaps() || !new Redundancy(store, directory, Redundancy.DATA).rebuild(world)) {
            return false;
        }
        long[] whole = {isWhole() ? 1 : 0};
        world.allreduce(whole, Communicator.Op.MIN);
        return whole[0] == 1;
    }

    /**
     * Makes the lost maps again. All that can be lost of a dataset whose files went straight to the prefix directory.
     * Collective.
     *
     * @return whether all ranks have their map now
     * @throws IOException a file could not be read or written
     */
    public boolean rebuildMaps() throws IOException {
        return new Redundancy(store, directory, Redundancy.MAPS).rebuild(world);
    }

    private boolean isWhole() {
        try {
            for (Map.Entry<String, KvTree> file : readMap().entries().entrySet()) {
                KvTree meta = file.getValue().get(META);
                Path path = directory.locate(file.getKey());
                OptionalLong crc = Fields.number(meta, "CRC");
                if (Fields.integer(meta, "COMPLETE").orElse(0) != 1
                        || Fields.number(meta, "SIZE").orElse(-1) != Files.size(path)
                        || (crc.isPresent() && crc.getAsLong() != store.crc32(path))) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
