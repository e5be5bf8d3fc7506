package io.drumlin.storage;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Opens block files and does what else a checkpoint needs of a file system, by one mechanism.
 *
 * <p>Engines are thread-safe. They differ in speed, never in the bytes they leave. {@link StorageEngines} chooses one.
 */
public interface StorageEngine {

    /**
     * The name by which the engine is chosen: {@code native}, {@code libc} or {@code nio}.
     *
     * @return a lower-case word
     */
    String name();

    /**
     * Opens a file.
     *
     * @param path the file
     * @param modes what is wanted; {@link OpenMode#READ}, {@link OpenMode#WRITE} or both must be among them; {@link OpenMode#CREATE}
     *     and {@link OpenMode#TRUNCATE} need {@link OpenMode#WRITE}, {@link OpenMode#EXCLUSIVE} needs
     *     {@link OpenMode#CREATE}, anything else is an {@link IllegalArgumentException}
     * @return the open file, positioned nowhere: every transfer names its offset
     * @throws IOException the file cannot be opened as asked
     */
    BlockFile open(Path path, Set<OpenMode> modes) throws IOException;

    /**
     * Makes memory from which this engine transfers without a copy, for one transfer after the other. What was closed may wait for the next call
     * that asks for as much, up to 128 MiB in all.
     *
     * @param size bytes, above 0
     * @return zeroed memory on a boundary of {@link AlignedBuffer#ALIGNMENT} bytes
     */
    AlignedBuffer allocate(int size);

    /**
     * Renames a file or directory, replacing an existing file (never a non-empty directory), atomically.
     *
     * @param from what exists
     * @param to its new name in the same file system
     * @throws IOException the rename was refused; nothing has changed
     */
    void rename(Path from, Path to) throws IOException;

    /**
     * Makes a directory and those above it that are missing; an existing directory is left as it is. Durable once the
     * directory above each new one was synced.
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
     * Deletes a file or an empty directory; nothing happens when it is missing. Durable once the directory above was
     * synced.
     *
     * @param path what is deleted
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
     * Makes the entries of a directory durable: creations, renames and deletions that were done in it. File systems that
     * have no such thing (EINVAL from fsync) count as done.
     *
     * @param directory an existing directory
     * @throws IOException the directory cannot be opened or synced
     */
    void syncDirectory(Path directory) throws IOException;
}
