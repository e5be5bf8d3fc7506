package io.drumlin.checkpoint.internal.directory;

import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** A lost file that is rebuilt under a temporary name until it is whole. */
public final class UnfinishedFile {

    /** Prefix of the temporary name; no program takes such a file for a checkpoint file. */
    private static final String UNFINISHED = "drumlin-restored-";

    private UnfinishedFile() {}

    /** Returns the temporary name of a file. */
    public static Path unfinished(Path path) {
        return path.resolveSibling(UNFINISHED + path.getFileName());
    }

    /**
     * Renames a whole file to its final name. A directory with this name is put aside, because a rename replaces only
     * files.
     */
    public static void putInPlace(StorageEngine storage, Path path) throws IOException {
        putDirectoryAside(storage, path);
        storage.rename(unfinished(path), path);
    }

    /** Renames a directory aside to make way for a file. */
    public static void putDirectoryAside(StorageEngine storage, Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            Path aside = path.resolveSibling("drumlin-directory-" + path.getFileName());
            DirectoryTree.delete(aside, storage);
            storage.rename(path, aside);
        }
    }
}
