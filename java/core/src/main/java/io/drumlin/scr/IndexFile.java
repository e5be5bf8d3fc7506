package io.drumlin.scr;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The index of a prefix directory on disk (docs/formats/scr.md, section 3). A change replaces the file by a rename, so that
 * a crash leaves the old index or the new one, and is made under a lock that every Drumlin takes; SCR itself knows no
 * lock. Thread-safe.
 */
public final class IndexFile {

    private static final System.Logger LOG = System.getLogger(IndexFile.class.getName());

    /** Locks of files are held by processes: within one, threads need this. */
    private static final Object IN_THIS_PROCESS = new Object();

    private final ScrPrefix prefix;
    private final KvTreeStore files;

    /** A change of an index. */
    @FunctionalInterface
    public interface Change {

        /**
         * Makes the change.
         *
         * @param index as it is on disk
         * @throws IOException the change is not made; the file stays as it is
         */
        void apply(ScrIndex index) throws IOException;
    }

    /**
     * Names the index of a prefix directory; it need not exist.
     *
     * @param prefix the prefix directory
     * @param storage how files are written
     */
    public IndexFile(ScrPrefix prefix, StorageEngine storage) {
        this.prefix = prefix;
        this.files = new KvTreeStore(storage);
    }

    /**
     * Where the index is.
     *
     * @return a file that need not exist
     */
    public Path path() {
        return prefix.index();
    }

    /**
     * Reads the index.
     *
     * @return what is on disk now
     * @throws NoSuchFileException there is none
     * @throws IOException it cannot be read, or it is of no form that is known
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
     * Changes the index; makes it if it is missing. Durable afterwards.
     *
     * @param change what to do
     * @throws IOException the index could not be read, the change refused, or the file not replaced: the old one is there
     */
    public void update(Change change) throws IOException {
        synchronized (IN_THIS_PROCESS) {
            files.makeDirectory(prefix.scr());
            Path lockFile = prefix.scr().resolve("index.lock");
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

    /** Until the channel is closed. Some parallel file systems are mounted without locks; SCR has none anywhere. */
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
