package io.drumlin.storage;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Opens block files and provides the other file system operations of a checkpoint, with one mechanism.
 *
 * <p>Engines are thread-safe. They differ in speed, never in the bytes they write. {@link StorageEngines} chooses one.
 */
public interface StorageEngine {

    /**
     * Returns the name by which the engine is chosen: {@code native}, {@code libc} or {@code nio}.
     *
     * @return a lower-case word
     */
    String name();

    /**
     * Opens a file.
     *
     * @param path the file
     * @param modes the requested modes. {@link OpenMode#READ}, {@link OpenMode#WRITE} or both must be among them;
     *     {@link OpenMode#CREATE} and {@link OpenMode#TRUNCATE} need {@link OpenMode#WRITE}, and
     *     {@link OpenMode#EXCLUSIVE} and {@link OpenMode#PRIVATE} need {@link OpenMode#CREATE}. Anything else causes an
     *     {@link IllegalArgumentException}
     * @return the open file; it has no position, and every transfer names its offset
     * @throws IOException the file cannot be opened in these modes
     */
    BlockFile open(Path path, Set<OpenMode> modes) throws IOException;

    /**
     * Allocates memory from which this engine transfers without a copy, for one transfer after the other. Closed memory
     * may be kept for the next call that asks for the same size, up to 128 MiB in all.
     *
     * @param size size in bytes, above 0
     * @return zeroed memory on a boundary of {@link AlignedBuffer#ALIGNMENT} bytes
     */
    AlignedBuffer allocate(int size);

    /**
     * Renames a file or directory, replacing an existing file (never a non-empty directory), atomically.
     *
     * @param from the existing path
     * @param to its new name in the same file system
     * @throws IOException the rename was refused; nothing has changed
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Makes a directory and its missing parents; leaves an existing directory as it is. Durable once the parent of each
     * new directory is synced.
     *
     * @param directory the directory
     * @throws IOException a directory cannot be made, or a file has the name
     */
    default void createDirectories(Path directory) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw Errno.explain(DrumlinException.during("creation of directory").path(directory), e, "");
        }
    }

    /**
     * Deletes a file or an empty directory. Does nothing if it is missing. Durable once its parent is synced.
     *
     * @param path the path to delete
     * @throws IOException it is still there
     */
    default void delete(Path path) throws IOException {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw Errno.explain(DrumlinException.during("deletion").path(path), e, "");
        }
    }

    /**
     * Gives a file a second name by a hard link. Durable once the parent of the new name is synced.
     *
     * @param existing the file
     * @param link its second name, in the same file system, which no file has
     * @throws IOException the file system makes no such link, or not this one; nothing has changed
     * @throws UnsupportedOperationException the file system knows no links
     */
    default void link(Path existing, Path link) throws IOException {
        try {
            Files.createLink(link, existing);
        } catch (IOException e) {
            throw Errno.explain(
                    DrumlinException.during("giving " + existing + " a second name")
                            .path(link),
                    e,
                    "");
        }
    }

    /**
     * Makes the entries of a directory durable, that is all creations, renames and deletions in it. On file systems
     * that cannot sync directories (EINVAL from fsync), the call succeeds.
     *
     * @param directory an existing directory
     * @throws IOException the directory cannot be opened or synced
     */
    void syncDirectory(Path directory) throws IOException;
}
