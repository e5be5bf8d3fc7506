package io.drumlin.storage.internal.files;

import io.drumlin.DrumlinException;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Replaces small files as a whole. Thread-safe for different files. */
public final class FileReplacement {

    private FileReplacement() {}

    /**
     * Replaces a file so that a crash leaves the old content or the new, and makes it durable. Keeps its permissions,
     * and a symbolic link to it.
     *
     * @param storage the engine that writes
     * @param path the file; made if it does not exist
     * @param bytes its new content, from position to limit
     * @param suffix suffix of the name of the temporary file, in the same directory
     * @throws IOException the file could not be replaced and is unchanged, or it may not be durable
     */
    public static void replace(StorageEngine storage, Path path, ByteBuffer bytes, String suffix) throws IOException {
        try {
            replaceTarget(storage, path, bytes, suffix);
        } catch (DrumlinException told) {
            throw told;
        } catch (IOException e) {
            throw IoFailures.explain("replace", path, e);
        }
    }

    private static void replaceTarget(StorageEngine storage, Path path, ByteBuffer bytes, String suffix)
            throws IOException {
        Path target = PathStatus.exists(path) ? path.toRealPath() : path.toAbsolutePath();
        Path directory = Objects.requireNonNull(target.getParent(), "a file has a directory");
        Path temporary = target.resolveSibling(target.getFileName() + suffix);
        try (BlockFile file = storage.open(temporary, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE))) {
            file.write(bytes, 0);
            if (PathStatus.exists(target)) {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(target);
                Files.setPosixFilePermissions(temporary, permissions);
            }
            file.sync();
        }
        storage.rename(temporary, target);
        storage.syncDirectory(directory);
    }
}
