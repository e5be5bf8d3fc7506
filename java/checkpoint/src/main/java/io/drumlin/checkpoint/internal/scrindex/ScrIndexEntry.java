package io.drumlin.checkpoint.internal.scrindex;

import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.comm.Communicator;
import io.drumlin.scr.internal.index.DatasetRegistry;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The level-4 checkpoint of a run in the index of SCR (docs/formats/scr.md, section 13). It is removed before its files
 * change, and added again when the new files exist, so that the index lists only whole checkpoints. All calls are
 * collective.
 */
public final class ScrIndexEntry {

    private final DatasetRegistry registry;

    /** Prefix of the run's names in the index: the path of its files. */
    private final String start;

    public ScrIndexEntry(ScrPrefix prefix, RunDirectory directories, Communicator app, StorageEngine storage) {
        registry = new DatasetRegistry(prefix, app, storage);
        start = prefix.path().relativize(directories.global().toAbsolutePath().normalize()) + "/Ckpt";
    }

    /** Removes the run's checkpoint, and returns its id if it was listed. */
    public OptionalInt remove() throws IOException {
        return registry.removeAll(start).stream()
                .map(name -> name.substring(start.length()))
                .filter(id -> id.matches("\\d{1,9}"))
                .mapToInt(Integer::parseInt)
                .findFirst();
    }

    /** Adds the checkpoint if it is missing after a kill between the commit and the listing. */
    public void addIfMissing(int ckptId, String execId, Path file) throws IOException {
        if (!registry.has(start + ckptId)) {
            add(ckptId, execId, file);
        }
    }

    public void add(int ckptId, String execId, Path file) throws IOException {
        registry.add(start + ckptId, execId, file);
    }
}
