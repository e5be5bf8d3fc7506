package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.ArchiveDirectories;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.FileRebuilder;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds a checkpoint in the archive of level 4 (docs/formats/fti-run-directory.md, section 5). The checkpoint is
 * recovered from where it is, and no file is changed.
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
            CheckpointSearch search = new CheckpointSearch(
                    engine.context(),
                    engine.levels(),
                    engine.modeAt(archive, engine.rejected()),
                    new FileRebuilder(app, engine.group(), engine.storage(), engine.slabs(), engine.reader()),
                    engine.log());
            Optional<CheckpointSearch.Found> found =
                    search.findUnchanged(Level.L4, ckptId -> restart.isOfTheseRanks(Level.L4, ckptId, listed));
            if (found.isPresent()) {
                warn(found.get());
                engine.log().recordContinuedFrom(search.lastFound().orElseThrow());
                // What is left of newer checkpoints stays until there is another one.
                restart.recovery().passOver();
                return Optional.of(restart.source(found.get()));
            }
            engine.reader().forget();
        }
        return Optional.empty();
    }

    private void warn(CheckpointSearch.Found found) {
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "at no level the files that are left give one whole checkpoint on all ranks; going on from checkpoint"
                            + " {0} of the archive, {1}; what is left of newer ones stays until the run has taken another",
                    Integer.toString(found.file().ckptId()),
                    found.path().getParent());
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
        return ArchiveDirectories.in(directories, metadataApart).stream()
                .map(archive -> metadataApart ? archive.metadata().getFileName().toString() : ".")
                .toList();
    }
}
