package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** By which a file is known again that was renamed, and one that was written since is not. */
record FileIdentity(@Nullable Object key, long size, FileTime written) {

    static FileIdentity of(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return new FileIdentity(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
    }
}
