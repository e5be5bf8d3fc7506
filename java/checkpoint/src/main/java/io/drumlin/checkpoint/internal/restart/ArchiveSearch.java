package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.ArchiveDirectories;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.FileRebuilder;
import java.io.IOException;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Finds an archived checkpoint, in the order of the nodes of an engine. No file is changed. */
final class ArchiveSearch {

    private final Engine engine;
    private final IoMode mode;
    private final CheckpointSearch search;

    ArchiveSearch(Engine engine, ArchiveDirectories archive) {
        this.engine = engine;
        mode = engine.modeAt(archive, engine.rejected());
        FileRebuilder rebuilder =
                new FileRebuilder(engine.app(), engine.group(), engine.storage(), engine.slabs(), engine.reader());
        search = new CheckpointSearch(engine.context(), engine.levels(), mode, rebuilder, engine.log());
    }

    /** Returns the mode in whose directories the search looks. */
    IoMode mode() {
        return mode;
    }

    /** Returns the newest whole one of the checkpoints that are wanted. Collective. */
    Optional<CheckpointSearch.Found> find(IntPredicate wanted) throws IOException {
        Optional<CheckpointSearch.Found> found = search.findUnchanged(Level.L4, wanted);
        if (found.isEmpty()) {
            engine.reader().forget();
        }
        return found;
    }

    /** Returns the checkpoint that was found. */
    StoredCheckpoint found() {
        return search.lastFound().orElseThrow();
    }
}
