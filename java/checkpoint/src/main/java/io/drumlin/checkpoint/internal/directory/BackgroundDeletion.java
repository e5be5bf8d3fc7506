package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.internal.io.Threads;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Deletes directories in the background, because a file system takes a sixth of a second for each GiB. If a deletion
 * fails or is interrupted by a kill, the directory stays aside; it is deleted before the next checkpoint is put there.
 * Not thread-safe.
 */
final class BackgroundDeletion {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final StorageEngine storage;
    private @Nullable Thread thread;

    BackgroundDeletion(StorageEngine storage) {
        this.storage = storage;
    }

    /** Starts the deletion, which owns the directories until {@link #await} has returned. */
    void start(List<Path> directories) {
        await();
        if (directories.isEmpty()) {
            return;
        }
        Thread started = new Thread(null, () -> directories.forEach(this::delete), "drumlin-deletion", 0, false);
        started.setDaemon(true);
        try {
            started.start();
            thread = started;
        } catch (OutOfMemoryError e) {
            // No thread can be created. Other ranks may have one, so this rank must continue.
            directories.forEach(this::delete);
        }
    }

    private void delete(Path directory) {
        try {
            DirectoryTree.delete(directory, storage);
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "a checkpoint that was replaced is not deleted yet: " + e.getMessage());
        }
    }

    /** Waits for the end of the deletion, also if the thread is interrupted. */
    void await() {
        Threads.join(thread);
        thread = null;
    }
}
