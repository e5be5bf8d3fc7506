package io.drumlin.checkpoint.internal.directory;

import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** A lost file that is made, under another name until it is whole. */
public final class RebuiltFile {

    /** Begins the name of a file that is being made; no program takes it for a checkpoint file. */
    private static final String UNFINISHED = "drumlin-restored-";

    private RebuiltFile() {}

    /** The name that a file has until it is whole. */
    public static Path unfinished(Path path) {
        return path.resolveSibling(UNFINISHED + path.getFileName());
    }

    /** Gives a file that is whole its name. A directory that has it is put aside: a rename replaces files only. */
    public static void putInPlace(StorageEngine storage, Path path) throws IOException {
        putDirectoryAside(storage, path);
        storage.rename(unfinished(path), path);
    }

    /** Makes way for a file. */
    public static void putDirectoryAside(StorageEngine storage, Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Path aside = path.resolveSibling("drumlin-directory-" + path.getFileName());
            DirectoryTree.delete(aside, storage);
            storage.rename(path, aside);
        }
    }
}
