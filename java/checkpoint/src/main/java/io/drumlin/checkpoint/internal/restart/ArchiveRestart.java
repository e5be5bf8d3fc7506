package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.ArchiveDirectories;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds a checkpoint in the archive of level 4 (docs/formats/fti-run-directory.md, section 5). The checkpoint is
 * recovered from where it is, and no file of it is changed.
 */
final class ArchiveRestart {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Engine engine;
    private final Communicator app;
    private final RunDirectory directories;
    private final LevelRestart restart;

    /** @param restart restart from the levels, in which nothing was found */
    ArchiveRestart(Engine engine, LevelRestart restart) {
        this.engine = engine;
        this.restart = restart;
        app = engine.app();
        directories = engine.directories();
    }

    /** Returns the newest whole checkpoint of the archive that this number of ranks has stored. Collective. */
    Optional<RankCheckpoint> find(RecordedRankCounts listed) throws IOException {
        for (ArchiveDirectories archive : archives()) {
            ArchiveSearch search = new ArchiveSearch(engine, archive);
            Optional<CheckpointSearch.Found> found =
                    search.find(ckptId -> restart.isOfTheseRanks(Level.L4, ckptId, listed));
            if (found.isPresent()) {
                // What is left of newer checkpoints stays until there is another one.
                restart.recovery().passOver();
                engine.log().recordContinuedFrom(search.found());
                warn(found.get().file().ckptId());
                return Optional.of(restart.source(found.get()));
            }
            Optional<RankCheckpoint> moved = inOtherOrders(archive, listed);
            if (moved.isPresent()) {
                return moved;
            }
        }
        return Optional.empty();
    }

    /** Finds a checkpoint that was written when the nodes were in another order, or ranks dealt out in another way. */
    private Optional<RankCheckpoint> inOtherOrders(ArchiveDirectories archive, RecordedRankCounts listed)
            throws IOException {
        List<PreviousOrder> orders = engine.run().orders();
        for (int order = 0; order < orders.size(); order++) {
            if (orders.get(order).isInPlace(Level.L4)) {
                continue;
            }
            try (Relocation relocation = new Relocation(engine, restart, order)) {
                Optional<RankCheckpoint> found = relocation.findArchived(archive, listed);
                if (found.isPresent()) {
                    engine.log()
                            .recordContinuedFrom(restart.recovery().lastFound().orElseThrow());
                    warn(found.get().file().ckptId());
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private void warn(int ckptId) {
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "at no level the files that are left give one whole checkpoint on all ranks; going on from checkpoint"
                            + " {0} of the archive, {1}; what is left of newer ones stays until the run has taken another",
                    Integer.toString(ckptId),
                    directories.archive());
        }
    }

    /** Returns the places with archived checkpoints, the newest first. Collective. */
    private List<ArchiveDirectories> archives() throws IOException {
        Path metadata = directories.metaArchive();
        String names = Agreement.call(
                app, "looking into " + directories.archive(), () -> app.rank() == 0 ? String.join("\n", names()) : "");
        return Agreement.bcast(app, names, 0)
                .lines()
                .map(name -> new ArchiveDirectories(directories.archive(), metadata.resolve(name)))
                .toList();
    }

    /** Returns the names of the directories with metadata, relative to the archive's. */
    private List<String> names() throws IOException {
        boolean metadataApart = engine.config().ioMode() != FtiConfig.IO_FTIFF;
        return ArchiveDirectories.in(directories, metadataApart, engine.storage()).stream()
                .map(archive -> metadataApart ? archive.metadata().getFileName().toString() : ".")
                .toList();
    }
}
