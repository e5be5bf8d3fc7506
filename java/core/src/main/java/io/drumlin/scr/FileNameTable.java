package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.format.kvtree.KvTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Maps the file names of the program to the current paths of the files, for this rank's files of a dataset that is
 * being written.
 */
final class FileNameTable {

    private final KvTreeStore store;
    private final ScrPrefix prefix;
    private final Communicator world;

    /** The files by path below the prefix directory. */
    private final Map<String, FileNames> files = new LinkedHashMap<>();

    private record FileNames(Path wanted, Path actual) {}

    FileNameTable(KvTreeStore store, ScrPrefix prefix, Communicator world) {
        this.store = store;
        this.prefix = prefix;
        this.world = world;
    }

    /**
     * Adds a file.
     *
     * @param base the prefix directory, or the directory of the dataset in the cache
     * @return the path to which the program must write the file
     */
    Path route(Path file, Path base) throws IOException {
        Path wanted = file.toAbsolutePath().normalize();
        if (!wanted.startsWith(prefix.path()) || wanted.equals(prefix.path()) || wanted.startsWith(prefix.scr())) {
            throw DrumlinException.during("routing a file")
                    .path(file)
                    .rank(world.rank())
                    .problem("it is not in the prefix directory " + prefix.path())
                    .advice("use a path in it, or set SCR_PREFIX")
                    .exception();
        }
        String relative = prefix.path().relativize(wanted).toString();
        Path actual = base.resolve(relative);
        Path parent = actual.getParent();
        if (parent != null) {
            store.makeDirectory(parent);
        }
        files.put(relative, new FileNames(wanted, actual));
        return actual;
    }

    /** Describes the files in the form of a filemap. */
    KvTree describe() throws IOException {
        KvTree described = new KvTree();
        for (FileNames file : files.values()) {
            KvTree meta = new KvTree();
            meta.set("RANKS", world.size());
            meta.set("ORIG", file.wanted().toString());
            meta.set("PATH", String.valueOf(file.wanted().getParent()));
            meta.set("NAME", String.valueOf(file.wanted().getFileName()));
            meta.set("COMPLETE", 1);
            meta.merge(FileStat.of(file.actual()));
            meta.set("CRC", DatasetFile.hexadecimal(store.crc32(file.actual())));
            described.add(file.actual().toString()).put("META", meta);
        }
        return described;
    }
}
