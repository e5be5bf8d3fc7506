package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.GlobalDeletion;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.OwnCheckpoints;
import io.drumlin.checkpoint.internal.engine.PendingCheckpoint;
import io.drumlin.checkpoint.internal.engine.RecoverySource;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.file.VariableByVariable;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.staging.FileStaging;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ends of a run. One that has reached its goal keeps some files and deletes the others; one that is closed or abandoned
 * leaves them as they are.
 */
final class RunEnding {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Run run;
    private final Engine engine;
    private final PendingCheckpoint underway;
    private final Snapshots snapshots;
    private final Groups groups;
    private final Optional<FileStaging> staging;

    RunEnding(
            Run run,
            Engine engine,
            PendingCheckpoint underway,
            Snapshots snapshots,
            Groups groups,
            Optional<FileStaging> staging) {
        this.run = run;
        this.engine = engine;
        this.underway = underway;
        this.snapshots = snapshots;
        this.groups = groups;
        this.staging = staging;
    }

    /**
     * Keeps what the configuration says and deletes the rest. Collective.
     *
     * @param last the last checkpoint, which may be kept; empty afterwards
     */
    void complete(RecoverySource last) throws IOException {
        engine.levels().requireKnown();
        Agreement.run(engine.app(), "completing the run", run::requireLease);
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
            engine.levels().discardSuperseded(Level.L4);
        } else {
            // First, because a completed run must not be restarted from remains of the deletion.
            engine.restartSection().complete(0);
            groups.complete();
            engine.levels().awaitDeletion();
            if (!engine.config().kept().archives()) {
                new GlobalDeletion(engine.app(), run.topology(), engine.group(), engine.storage())
                        .deleteOfRanks(run.directories());
            }
            Agreement.run(engine.app(), "archiving or deleting the run's files", () -> {
                if (engine.levels().isMaster(Level.L4)) {
                    groups.warnOfLeft();
                    archiveOrDelete();
                }
            });
        }
        boolean allSent = allSent();
        engine.levels().awaitDeletion();
        Agreement.run(engine.app(), "deleting the run's local files", () -> {
            if (engine.levels().isMaster(Level.L1)) {
                run.directories().deleteLocal(engine.storage(), !allSent);
            }
            if (engine.levels().isMaster(Level.L4)) {
                engine.levels().deleteLocalMetadata();
                engine.levels().deleteSpare();
            }
        });
        last.clear();
    }

    private void archiveOrDelete() throws IOException {
        if (!engine.config().kept().archives() || !engine.levels().archiveL4()) {
            run.directories().deleteGlobal(engine.storage());
        }
    }

    private void keep(RankCheckpoint last) throws IOException {
        if (last.level().isGlobal()) {
            return;
        }
        engine.levels().tidy(Level.L4);
        engine.copy().copyToTmp(last.path(), last.file(), Level.L4);
        engine.coordinator().commitKept(last.file().ckptId());
        engine.levels().tidy(Level.L4);
    }

    /** Returns whether the files of all ranks were sent. */
    private boolean allSent() throws IOException {
        if (staging.isEmpty()) {
            return true;
        }
        boolean sent = Agreement.all(engine.app(), staging.get().finish());
        if (!sent && engine.app().rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "not all files arrived that were sent: the directories {0} stay on all nodes",
                    run.directories().stage());
        }
        return sent;
    }

    /**
     * Ends the run together with the other ranks, after its groups. Collective.
     *
     * @param incremental the last incremental checkpoint
     * @param started whether the run was opened completely
     */
    void close(@Nullable VariableByVariable incremental, boolean started) throws IOException {
        try {
            groups.close();
        } finally {
            closeRun(incremental, started);
        }
    }

    private void closeRun(@Nullable VariableByVariable incremental, boolean started) throws IOException {
        try {
            try {
                if (incremental != null) {
                    incremental.close();
                }
            } finally {
                leave(started);
            }
        } finally {
            engine.log().flush();
            underway.close();
            try {
                try {
                    engine.close();
                } finally {
                    snapshots.close();
                }
                run.app().close();
            } finally {
                // From now on another job may change the directories; this job has finished its deletions.
                run.lease().ifPresent(Lease::close);
            }
        }
    }

    private void leave(boolean started) throws IOException {
        try {
            if (started) {
                underway.leave();
            }
        } finally {
            if (run.headLink().isPresent()) {
                run.headLink().get().close();
            }
        }
    }

    /** Ends the run on this rank, without a message. */
    void abandon(@Nullable VariableByVariable incremental) {
        groups.abandon();
        try {
            if (incremental != null) {
                incremental.close();
            }
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "an incremental checkpoint that was abandoned", e);
        }
        snapshots.abandon();
        boolean idle = underway.abandon();
        engine.log().await();
        engine.events().ended("abandon");
        engine.release(idle);
        run.lease().ifPresent(Lease::close);
    }
}
