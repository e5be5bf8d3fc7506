package io.drumlin.checkpoint.internal.verify;

import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** Identifies a file across renames; any later write changes the identity. */
public record FileIdentity(@Nullable Object key, long size, FileTime written) {

    public static FileIdentity of(Path path) throws IOException {
        BasicFileAttributes attributes = PathStatus.read(path);
        return new FileIdentity(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
    }
}
