package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The files of each rank of a dataset: the map {@code rank2file} with its parts (docs/formats/scr.md, section 7).
 *
 * @param ranks number of ranks of the job that wrote the dataset
 * @param files the files of each rank that the map names, by rank
 */
public record RankFiles(int ranks, SortedMap<Integer, List<DatasetFile>> files) {

    /** C's writers begin a new part where the running total crosses a multiple of this. */
    private static final long PART_BYTES = 1 << 20;

    /** More levels than a map needs whose number of ranks fits into an int. */
    private static final int MAX_LEVEL = 32;

    /** The names of the parts in SCR 3: the name of the root with this suffix. */
    private static final Pattern SUFFIX = Pattern.compile("\\.\\d+\\.\\d+");

    /** Reads a map. The paths of parts with names of their own are relative to {@code base}. */
    static RankFiles read(KvTreeStore store, Path root, Path base) throws IOException {
        return new Reader(store, root, base).read();
    }

    /** Makes the map from the entries in {@code tree}: rank, path, SIZE and CRC. */
    public static RankFiles of(int ranks, KvTree tree) {
        SortedMap<Integer, List<DatasetFile>> files = new TreeMap<>();
        tree.entries().forEach((rank, owned) -> {
            List<DatasetFile> list = new ArrayList<>();
            owned.entries().forEach((path, file) -> list.add(DatasetFile.of(path, file)));
            files.put(KvFields.leadingInteger(rank), list);
        });
        return new RankFiles(ranks, files);
    }

    /** Adds the map to a tree, with the paths of the files under AT. */
    public void addTo(KvTree tree, DatasetMetadata metadata) throws DrumlinException {
        for (Map.Entry<Integer, List<DatasetFile>> rank : files.entrySet()) {
            KvTree owned = tree.add(Integer.toString(rank.getKey()));
            for (DatasetFile file : rank.getValue()) {
                file.addTo(owned);
                owned.add(file.path()).set("AT", metadata.locate(file).toString());
            }
        }
    }

    /**
     * Writes the map in the form of SCR 3 and makes it durable, the root last.
     *
     * @param counted whether the map counts each rank's files, like the maps of {@code scr_index}
     */
    void write(KvTreeStore store, Path root, boolean counted) throws IOException {
        KvTree top = node(1);
        KvTree part = node(0);
        int first = 0;
        long bytes = 0;
        for (int rank = 0; rank < ranks; rank++) {
            KvTree entry = entry(rank, counted);
            long after = bytes + KvTreeFile.encode(entry).remaining();
            if (rank > first && bytes / PART_BYTES != after / PART_BYTES) {
                writePart(store, root, top, first, part);
                part = node(0);
                first = rank;
            }
            bytes = after;
            part.add("RANK").put(Integer.toString(rank), entry);
        }
        writePart(store, root, top, first, part);
        store.replace(root, top);
    }

    private KvTree node(int level) {
        KvTree node = new KvTree();
        node.set("LEVEL", level);
        node.set("RANKS", ranks);
        return node;
    }

    private KvTree entry(int rank, boolean counted) {
        KvTree entry = new KvTree();
        List<DatasetFile> owned = files.getOrDefault(rank, List.of());
        for (DatasetFile file : owned) {
            file.addTo(entry.add("FILE"));
        }
        if (counted) {
            entry.set("FILES", owned.size());
        }
        return entry;
    }

    private static void writePart(KvTreeStore store, Path root, KvTree top, int first, KvTree part) throws IOException {
        String suffix = ".0." + first;
        store.replace(root.resolveSibling(root.getFileName() + suffix), part);
        KvTree entry = top.addPath("RANK", Integer.toString(first));
        entry.set("FILE", suffix);
        entry.set("OFFSET", 0);
    }

    /** Follows the parts of one map. */
    private static final class Reader {

        private final KvTreeStore store;
        private final Path root;
        private final Path base;
        private final SortedMap<Integer, List<DatasetFile>> files = new TreeMap<>();
        private final Set<Path> seen = new HashSet<>();
        private int ranks;

        Reader(KvTreeStore store, Path root, Path base) {
            this.store = store;
            this.root = root;
            this.base = base;
        }

        RankFiles read() throws IOException {
            KvTree tree = store.read(root);
            ranks = KvFields.integer(tree, "RANKS").orElse(0);
            if (ranks < 1) {
                throw damaged(root, "RANKS is " + ranks);
            }
            add(root, tree, MAX_LEVEL + 1);
            return new RankFiles(ranks, files);
        }

        private void add(Path path, KvTree tree, int levelAbove) throws IOException {
            int level = KvFields.integer(tree, "LEVEL").orElse(-1);
            if (level < 0 || level >= levelAbove) {
                throw damaged(path, "LEVEL is " + level + ", not between 0 and " + (levelAbove - 1));
            }
            KvTree entries = tree.get("RANK");
            if (entries == null) {
                return;
            }
            for (Map.Entry<String, KvTree> entry : entries.entries().entrySet()) {
                if (level == 0) {
                    addRank(path, entry.getKey(), entry.getValue());
                } else {
                    Path part = part(path, entry.getValue().value("FILE").orElse(""));
                    add(part, store.read(part), level);
                }
            }
        }

        private void addRank(Path path, String key, KvTree entry) throws DrumlinException {
            int rank = KvFields.leadingInteger(key);
            if (rank < 0 || rank >= ranks || files.containsKey(rank)) {
                throw damaged(path, "RANK " + key + " is there twice or not between 0 and " + (ranks - 1));
            }
            List<DatasetFile> owned = new ArrayList<>();
            KvTree named = entry.get("FILE");
            if (named != null) {
                named.entries().forEach((file, tree) -> owned.add(DatasetFile.of(file, tree)));
            }
            files.put(rank, owned);
        }

        private Path part(Path path, String name) throws DrumlinException {
            Path part = SUFFIX.matcher(name).matches()
                    ? root.resolveSibling(root.getFileName() + name)
                    : StoredNames.below(base, name);
            if (!seen.add(part)) {
                throw damaged(path, "a part has FILE '" + name + "', which is named twice");
            }
            return part;
        }

        private static DrumlinException damaged(Path path, String problem) {
            return DrumlinException.during("reading the map of a dataset's files")
                    .path(path)
                    .problem(problem)
                    .exception();
        }
    }
}
