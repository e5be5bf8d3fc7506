package io.drumlin.storage.internal;

import java.nio.charset.Charset;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Arrays;

/** Paths in the form that the kernel gets. */
public final class PathBytes {

    /** The charset with which the JDK encodes the characters of a path. */
    private static final Charset CHARSET = Charset.forName(
            System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()));

    private PathBytes() {}

    /** Returns the bytes of a path, with a NUL at the end. */
    public static byte[] of(Path path) {
        if (path.getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException("this engine knows the default file system only, not that of " + path);
        }
        byte[] name = path.toString().getBytes(CHARSET);
        return Arrays.copyOf(name, name.length + 1);
    }
}
