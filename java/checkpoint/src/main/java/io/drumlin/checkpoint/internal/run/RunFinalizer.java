package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.GlobalDeletion;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.OwnCheckpoints;
import io.drumlin.checkpoint.internal.engine.RecoverySource;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.checkpoint.internal.staging.FileStaging;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.Optional;

/** Ends a run that has reached its goal: keeps some files of it and deletes the others. */
final class RunFinalizer {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Engine engine;
    private final Communicator app;
    private final CommitProtocol levels;
    private final RunDirectory directories;
    private final Optional<FileStaging> staging;
    private final Groups groups;

    RunFinalizer(Engine engine, Optional<FileStaging> staging, Groups groups) {
        this.engine = engine;
        this.staging = staging;
        this.groups = groups;
        app = engine.app();
        levels = engine.levels();
        directories = engine.directories();
    }

    /**
     * Keeps what the configuration says and deletes the rest. Collective.
     *
     * @param last the last checkpoint, which may be kept; empty afterwards
     */
    void complete(RecoverySource last) throws IOException {
        levels.requireKnown();
        Agreement.run(app, "completing the run", engine.run()::requireLease);
        engine.log().flush();
        boolean onlyGroups = engine.restartSection().own() == OwnCheckpoints.NONE;
        if (engine.config().keepLastCkpt() && (last.ckptId().isPresent() || onlyGroups)) {
            // Before the run, because a group that has kept its checkpoint can be restarted in any case.
            groups.complete();
            if (last.source().isPresent()) {
                keep(last.source().get());
            }
            engine.restartSection().complete(2);
            // In this order, so that a half-deleted last checkpoint does not leave an older one for a restart.
            levels.discardSuperseded(Level.L4);
        } else {
            // First, because a completed run must not be restarted from remains of the deletion.
            engine.restartSection().complete(0);
            groups.complete();
            levels.awaitDeletion();
            if (!engine.config().kept().archives()) {
                new GlobalDeletion(app, engine.run().topology(), engine.group(), engine.storage())
                        .deleteOfRanks(directories);
            }
            Agreement.run(app, "archiving or deleting the run's files", () -> {
                if (levels.isMaster(Level.L4)) {
                    groups.warnOfLeft();
                    archiveOrDelete();
                }
            });
        }
        boolean allSent = allSent();
        levels.awaitDeletion();
        Agreement.run(app, "deleting the run's local files", () -> {
            if (levels.isMaster(Level.L1)) {
                directories.deleteLocal(engine.storage(), !allSent);
            }
            if (levels.isMaster(Level.L4)) {
                levels.deleteLocalMetadata();
                levels.deleteSpare();
            }
        });
        last.clear();
    }

    private void archiveOrDelete() throws IOException {
        if (!engine.config().kept().archives() || !levels.archiveL4()) {
            directories.deleteGlobal(engine.storage());
        }
    }

    private void keep(RankCheckpoint last) throws IOException {
        if (last.level().isGlobal()) {
            return;
        }
        levels.tidy(Level.L4);
        engine.copy().copyToTmp(last.path(), last.file(), Level.L4);
        engine.coordinator().commitKept(last.file().ckptId());
        levels.tidy(Level.L4);
    }

    /** Returns whether the files of all ranks were sent. */
    private boolean allSent() throws IOException {
        if (staging.isEmpty()) {
            return true;
        }
        boolean sent = Agreement.all(app, staging.get().finish());
        if (!sent && app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "not all files arrived that were sent: the directories {0} stay on all nodes",
                    directories.stage());
        }
        return sent;
    }
}
