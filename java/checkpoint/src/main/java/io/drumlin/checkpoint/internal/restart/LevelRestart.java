package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.recovery.Candidate;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.LevelCopy;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.DamagedException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Makes the checkpoint of a level readable: finds it, rebuilds its missing files, and copies it to the node if it is
 * only on the parallel file system (docs/formats/fti-run-directory.md, section 5).
 */
final class LevelRestart {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final RunDirectory directories;
    private final CommitProtocol levels;
    private final IoMode mode;
    private final LevelCopy copy;
    private final CheckpointSearch search;
    private final CheckpointReader reader;
    private final StorageEngine storage;
    private final int fileRank;

    LevelRestart(Engine engine) {
        reader = engine.reader();
        storage = engine.storage();
        fileRank = engine.run().topology().fileRank();
        app = engine.app();
        directories = engine.directories();
        levels = engine.levels();
        mode = engine.mode();
        copy = engine.copy();
        search = new CheckpointSearch(engine.context(), levels, levels, mode, engine.log());
    }

    /** Returns the search, which finds checkpoints and makes them whole. */
    CheckpointSearch search() {
        return search;
    }

    /**
     * Makes a checkpoint readable whose files lie in their places in the order of this run's nodes. Collective.
     *
     * @param older older levels
     */
    Optional<RankCheckpoint> makeReadable(Candidate candidate, List<Level> older, RecordedRankCounts listed)
            throws IOException {
        if (!mode.isCopiedToNodes(candidate.level())) {
            return readable(candidate, older, listed);
        }
        // A path at which nothing looks for a checkpoint, and where a restart deletes leftovers.
        Path written = directories.local().resolve(FileNames.incrementalName(fileRank));
        reader.copyTo(search.passedOver() ? Optional.empty() : Optional.of(written));
        try {
            return readable(candidate, older, listed);
        } finally {
            reader.copyTo(Optional.empty());
            delete(written);
        }
    }

    private Optional<RankCheckpoint> readable(Candidate candidate, List<Level> older, RecordedRankCounts listed)
            throws IOException {
        Optional<CheckpointSearch.Found> found = locate(candidate, older, listed);
        return found.isPresent() ? Optional.of(source(found.get())) : Optional.empty();
    }

    /** Deletes an unused copy. */
    private void delete(Path written) {
        try {
            storage.delete(written);
        } catch (IOException stays) {
            LOG.log(Logger.Level.DEBUG, "what was copied and not taken stays", stays);
        }
    }

    /** Makes a checkpoint whole and moves it to its place, but copies nothing; otherwise like {@link #makeReadable}. */
    Optional<CheckpointSearch.Found> locate(Candidate candidate, List<Level> older, RecordedRankCounts listed)
            throws IOException {
        Level level = candidate.stored().level();
        IntPredicate wanted = ckptId -> isOfTheseRanks(level, ckptId, listed);
        Optional<CheckpointSearch.Found> found = search.makeReadable(candidate, wanted);
        if (found.isEmpty() || !completeInterruptedCommits(older)) {
            return found;
        }
        // Again, because the recovered data must be verified and the results of the verification are gone.
        for (Candidate each : search.list(candidate.level())) {
            if (each.entry().isSame(candidate.entry())) {
                return search.makeReadable(each, wanted);
            }
        }
        return Optional.empty();
    }

    /** Returns whether this number of ranks has stored a checkpoint of the parallel file system, as far as known. */
    boolean isOfTheseRanks(Level level, int ckptId, RecordedRankCounts listed) {
        Set<Integer> stored = listed.of(level, ckptId);
        return !level.isGlobal() || stored.isEmpty() || stored.contains(app.size());
    }

    /** Completes the interrupted commits of older levels; returns whether there was one. Collective. */
    private boolean completeInterruptedCommits(List<Level> older) throws IOException {
        boolean any = false;
        for (Level level : older) {
            any |= search.completeInterruptedCommit(level);
        }
        return any;
    }

    /** Returns the data of a checkpoint, copied to the node if that takes nothing's place. Collective. */
    RankCheckpoint source(CheckpointSearch.Found found) throws IOException {
        StoredFile file = found.file();
        StoredFile apart =
                file.movedBy(-file.whole().map(StoredFile.Chunk::offset).orElse(0L));
        if (!mode.isCopiedToNodes(found.level())) {
            return new RankCheckpoint(found.level(), found.path(), apart);
        }
        if (search.passedOver()) {
            // The copy would take the place of the remains of the newer checkpoint.
            return new RankCheckpoint(found.level(), found.path(), file);
        }
        try {
            return new RankCheckpoint(found.level(), copyToLocal(found), apart);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException failed) {
            boolean damaged = Agreement.any(app, failed instanceof DamagedException);
            doWithoutCopy(found, failed, damaged);
            if (damaged) {
                // The file was verified before, so either someone writes to it or reads return wrong bytes.
                throw failed;
            }
            return new RankCheckpoint(found.level(), found.path(), file);
        }
    }

    /** As in C FTI, a checkpoint recovered from the parallel file system becomes the node-local checkpoint. */
    private Path copyToLocal(CheckpointSearch.Found found) throws IOException {
        levels.prepare(Level.L1);
        copy.copyToTmp(found.path(), found.file(), Level.L1);
        levels.commit(Level.L1, slowest -> {});
        return directories.committed(Level.L1).resolve(mode.copyName(Level.L1, found.path()));
    }

    /**
     * Recovers a whole checkpoint directly from the parallel file system, because the nodes may lack space for a copy.
     * Collective.
     */
    private void doWithoutCopy(CheckpointSearch.Found found, IOException failed, boolean damaged)
            throws MeetingException {
        if (app.rank() == 0 && !damaged) {
            LOG.log(
                    Logger.Level.WARNING,
                    "checkpoint {0} is recovered straight from {1}, without a copy on the nodes: {2}",
                    Integer.toString(found.file().ckptId()),
                    found.path().getParent(),
                    failed.getMessage());
        }
        try {
            levels.tidy(Level.L1);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException stays) {
            LOG.log(Logger.Level.DEBUG, "what there is of the copy stays", stays);
        }
    }
}
