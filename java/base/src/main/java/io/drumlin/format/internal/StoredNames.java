package io.drumlin.format.internal;

import io.drumlin.DrumlinException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Converts names that are stored in files to paths; no other code does this. Anyone who can write the file chooses the
 * name. Without a check it leads anywhere, even to files that are then deleted. Thread-safe.
 */
public final class StoredNames {

    private StoredNames() {}

    /**
     * Returns whether a name can be that of a file in a directory that the caller chooses.
     *
     * @param name a name from a file
     * @return false if it is empty, has a slash or a NUL, or means a directory itself or its parent
     */
    public static boolean isFileName(String name) {
        return !name.isEmpty()
                && name.indexOf('/') < 0
                && name.indexOf('\0') < 0
                && !name.equals(".")
                && !name.equals("..");
    }

    /**
     * Returns the path of a file that is directly in a directory.
     *
     * @param directory the directory of the file
     * @param name a name from a file
     * @return the path
     * @throws DrumlinException the name does not pass {@link #isFileName}, or has bytes that no path can represent
     */
    public static Path file(Path directory, String name) throws DrumlinException {
        if (!isFileName(name)) {
            throw DrumlinException.during("locating a file")
                    .path(directory)
                    .problem("'" + name + "' is not the name of a file in it")
                    .advice("do not trust the file that names it")
                    .exception();
        }
        return directory.resolve(path(name));
    }

    /**
     * Returns the path of a file or directory that is somewhere below a directory. Symbolic links are not resolved.
     *
     * @param directory the directory above it
     * @param name a name from a file: names with slashes between them, or a whole path that leads below the directory
     * @return the path without {@code .} and {@code ..}
     * @throws DrumlinException it is the directory itself or outside it, or has bytes that no path can represent
     */
    public static Path below(Path directory, String name) throws DrumlinException {
        Path root = directory.normalize();
        Path path = root.resolve(path(name)).normalize();
        if (!path.startsWith(root) || path.equals(root)) {
            throw DrumlinException.during("locating a file")
                    .path(directory)
                    .problem("'" + name + "' is not below it")
                    .advice("do not trust the file that names it")
                    .exception();
        }
        return path;
    }

    /**
     * Converts a text to a path, wherever it leads. The caller must check that.
     *
     * @param text a text from a file
     * @return the path
     * @throws DrumlinException it has bytes that no path can represent
     */
    public static Path path(String text) throws DrumlinException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw DrumlinException.during("locating a file")
                    .problem("'" + text + "' cannot be the name of a file in this locale: " + e.getReason())
                    .advice(
                            "set LC_ALL to a locale that has its characters, such as C.UTF-8; bytes that are no UTF-8 cannot"
                                    + " be named")
                    .cause(e)
                    .exception();
        }
    }
}
