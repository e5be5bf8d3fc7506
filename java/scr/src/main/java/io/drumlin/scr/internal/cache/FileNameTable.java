package io.drumlin.scr.internal.cache;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.index.DatasetFile;
import io.drumlin.scr.internal.store.FileStat;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Maps the file names of the program to the current paths of the files, for this rank's files of a dataset that is
 * being written.
 */
public final class FileNameTable {

    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final Communicator world;
    private final Path base;

    /** The current paths of the files, by path below the prefix directory. */
    private final Map<Path, Path> files = new LinkedHashMap<>();

    /**
     * Begins without files.
     *
     * @param base the directory below which the program writes the files, as if it were the prefix directory
     */
    public FileNameTable(KvTreeStore store, ScrPrefix prefix, Communicator world, Path base) {
        this.store = store;
        this.prefix = prefix;
        this.world = world;
        this.base = base;
    }

    /**
     * Adds a file.
     *
     * @return the path to which the program must write the file
     */
    public Path route(Path file) throws IOException {
        Path wanted = file.toAbsolutePath().normalize();
        if (!wanted.startsWith(prefix.path()) || wanted.equals(prefix.path()) || wanted.startsWith(prefix.scr())) {
            throw DrumlinException.during("routing a file")
                    .path(file)
                    .rank(world.rank())
                    .problem("it is not in the prefix directory " + prefix.path())
                    .advice("use a path in it, or set SCR_PREFIX")
                    .exception();
        }
        Path relative = prefix.path().relativize(wanted);
        Path actual = base.resolve(relative.toString());
        Path parent = actual.getParent();
        if (parent != null) {
            store.makeDirectory(parent);
        }
        files.put(relative, actual);
        return actual;
    }

    /** Returns the paths of the files below the prefix directory, each with this rank. */
    KvTree owned() {
        KvTree owned = new KvTree();
        files.keySet().forEach(file -> owned.addPath(file.toString(), Integer.toString(world.rank())));
        return owned;
    }

    /**
     * Moves the files that the program has written to their places in the cache. The lowest rank moves a file that
     * several ranks of the node share.
     *
     * @param owners the files of all ranks of the node, each with its ranks
     * @param dataset the directory of the dataset
     */
    void settle(KvTree owners, Path dataset) throws IOException {
        SortedMap<Path, Path> names =
                CacheNames.choose(owners.keys().stream().map(Path::of).toList());
        for (Map.Entry<Path, Path> file : files.entrySet()) {
            Path relative = file.getKey();
            Path place = dataset.resolve(names.getOrDefault(relative, relative));
            boolean moves = owners.add(relative.toString()).keys().stream()
                    .allMatch(rank -> KvFields.leadingInteger(rank) >= world.rank());
            if (moves) {
                if (!PathStatus.exists(file.getValue())) {
                    // The program has not written it; describe() fails with the path that the program knows.
                    continue;
                }
                move(file.getValue(), place);
            }
            file.setValue(place);
        }
    }

    private void move(Path file, Path place) throws IOException {
        Path parent = place.getParent();
        if (parent != null) {
            store.makeDirectory(parent);
        }
        store.storage().rename(file, place);
    }

    /** Returns the files that are not directly in a directory. */
    List<Path> nested(Path dataset) {
        return files.entrySet().stream()
                .filter(file -> !dataset.equals(file.getValue().getParent()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Describes the files in the form of a filemap. */
    public KvTree describe() throws IOException {
        KvTree described = new KvTree();
        for (Map.Entry<Path, Path> file : files.entrySet()) {
            Path wanted = prefix.path().resolve(file.getKey());
            KvTree meta = new KvTree();
            meta.set("RANKS", world.size());
            meta.set("ORIG", wanted.toString());
            meta.set("PATH", String.valueOf(wanted.getParent()));
            meta.set("NAME", String.valueOf(wanted.getFileName()));
            meta.set("COMPLETE", 1);
            meta.merge(FileStat.of(file.getValue()));
            meta.set("CRC", DatasetFile.hexadecimal(store.crc32(file.getValue())));
            described.add(file.getValue().toString()).put("META", meta);
        }
        return described;
    }
}
