package io.drumlin.format;

import io.drumlin.DrumlinException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The one door from names that stand in files to paths. Whoever can write the file chooses the name: without a check it leads
 * anywhere, also to what is then deleted. Thread-safe.
 */
public final class StoredNames {

    private StoredNames() {}

    /**
     * Whether a name can be that of a file in a directory that somebody else chooses.
     *
     * @param name from a file
     * @return false if it is empty, has a slash or a NUL, or is that of a directory itself or of the one above
     */
    public static boolean isFileName(String name) {
        return !name.isEmpty()
                && name.indexOf('/') < 0
                && name.indexOf('\0') < 0
                && !name.equals(".")
                && !name.equals("..");
    }

    /**
     * The path of a file that is directly in a directory.
     *
     * @param directory where it is
     * @param name from a file
     * @return the path
     * @throws DrumlinException the name is no {@link #isFileName}, or has bytes of which no path can be made
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
     * The path of a file or directory that is somewhere below a directory. Symbolic links are not looked at.
     *
     * @param directory where it is
     * @param name from a file: names with slashes between them, or a whole path that leads there
     * @return the path without {@code .} and {@code ..}
     * @throws DrumlinException it is the directory itself or outside of it, or has bytes of which no path can be made
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
     * The path that a text is, wherever it leads. The caller must look at that.
     *
     * @param text from a file
     * @return the path
     * @throws DrumlinException it has bytes of which no path can be made
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
