package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Gives a file a second name, or copies it where the file system has no hard links. Nobody writes to a committed file,
 * so it may belong to several runs. The file system counts the names, and frees the space with the last of them.
 */
final class SharedFiles {

    private SharedFiles() {}

    /** Makes {@code target} the same file as {@code source}, or a durable copy of it. */
    static void share(Path source, Path target, StorageEngine storage) throws IOException {
        try {
            storage.link(source, target);
        } catch (UnsupportedOperationException | IOException noLink) {
            // No links, too many, another file system, a file of another user. What stops the copy, too, is reported by
            // it.
            copy(source, target, storage);
        }
    }

    private static void copy(Path source, Path target, StorageEngine storage) throws IOException {
        try {
            Files.copy(source, target);
        } catch (IOException e) {
            throw IoFailures.explain("copying to " + target, source, e);
        }
        TextFiles.sync(target, storage);
    }
}
