package io.drumlin.checkpoint.internal.directory;

import io.drumlin.DrumlinException;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Makes and deletes directories. */
public final class DirectoryTree {

    private DirectoryTree() {}

    /** Makes a directory durably; does nothing if it exists. */
    public static void make(Path directory, StorageEngine storage) throws IOException {
        if (PathStatus.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null && !PathStatus.isDirectory(parent)) {
            throw DrumlinException.during("mkdir")
                    .path(directory)
                    .errno("ENOENT")
                    .problem("its parent directory does not exist")
                    .advice("create it, or correct ckpt_dir, glbl_dir or meta_dir in the configuration file")
                    .exception();
        }
        storage.createDirectories(directory);
        if (parent != null) {
            storage.syncDirectory(parent);
        }
    }

    /** Deletes a file, or a directory with everything below it; does nothing if it is missing. */
    public static void delete(Path path, StorageEngine storage) throws IOException {
        BasicFileAttributes found;
        try {
            found = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw IoFailures.explain("stat", path, e);
        }
        if (found.isDirectory()) {
            for (Path entry : PathStatus.entries(path)) {
                delete(entry, storage);
            }
        }
        storage.delete(path);
    }
}
