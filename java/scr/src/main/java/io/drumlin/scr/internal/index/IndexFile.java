package io.drumlin.scr.internal.index;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The index of a prefix directory on disk (docs/formats/scr.md, section 3). A change replaces the file by a rename, so
 * that a crash leaves either the old index or the new one. Every Drumlin process makes changes under a lock; SCR itself
 * has no lock. Thread-safe.
 */
public final class IndexFile {

    private static final System.Logger LOG = System.getLogger(IndexFile.class.getName());

    /** Processes hold the locks of files, so threads of one process need this lock. */
    private static final Object IN_THIS_PROCESS = new Object();

    private final ScrPrefix prefix;
    private final KvTreeStore files;

    /** A change of an index. */
    @FunctionalInterface
    public interface Change {

        /**
         * Makes the change.
         *
         * @param index the index on disk
         * @throws IOException the change is not made; the file stays unchanged
         */
        void apply(ScrIndex index) throws IOException;
    }

    /**
     * Names the index of a prefix directory; it need not exist.
     *
     * @param prefix the prefix directory
     * @param storage the engine that writes the files
     */
    public IndexFile(ScrPrefix prefix, StorageEngine storage) {
        this.prefix = prefix;
        this.files = new KvTreeStore(storage);
    }

    /**
     * Returns the path of the index.
     *
     * @return a file that need not exist
     */
    public Path path() {
        return prefix.index();
    }

    /**
     * Reads the index.
     *
     * @return the index on disk
     * @throws NoSuchFileException there is none
     * @throws IOException the index cannot be read or has an unknown form
     */
    public ScrIndex read() throws IOException {
        Path path = path();
        if (!PathStatus.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        return read(path);
    }

    private ScrIndex read(Path path) throws IOException {
        KvTree tree = files.read(path);
        try {
            return ScrIndex.of(tree);
        } catch (DrumlinException e) {
            throw DrumlinException.during("opening the SCR index")
                    .path(path)
                    .problem(String.valueOf(e.getMessage()))
                    .cause(e)
                    .exception();
        }
    }

    /**
     * Changes the index, and creates it if it is missing. The change is durable when the call returns.
     *
     * @param change makes the change
     * @throws IOException the index could not be read, the change was refused, or the file could not be replaced; the
     *     old one is unchanged
     */
    public void update(Change change) throws IOException {
        synchronized (IN_THIS_PROCESS) {
            files.makeDirectory(prefix.scr());
            Path lockFile = prefix.scr().resolve("index.lock");
            PathStatus.requireNoDevice(lockFile);
            try (FileChannel channel =
                    FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lock(channel, lockFile);
                change(change);
            }
        }
    }

    private void change(Change change) throws IOException {
        Path path = path();
        ScrIndex index = PathStatus.exists(path) ? read(path) : ScrIndex.empty(IndexFormat.FLAT);
        change.apply(index);
        files.replace(path, index.tree());
    }

    /**
     * Locks the file until the channel is closed. Some parallel file systems are mounted without locks; SCR has none
     * anywhere.
     */
    private static void lock(FileChannel channel, Path path) {
        try {
            channel.lock();
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    path + " cannot be locked (" + e.getMessage()
                            + "); do not change this index from two programs at a time");
        }
    }
}
