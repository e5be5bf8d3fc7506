package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.engine.PendingCheckpoint;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.file.VariableByVariable;
import io.drumlin.checkpoint.internal.group.Groups;
import io.drumlin.checkpoint.internal.lease.Lease;
import java.io.IOException;
import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/** Frees what a run has, and leaves its files as they are. */
final class RunEnding {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Run run;
    private final Engine engine;
    private final PendingCheckpoint underway;
    private final Snapshots snapshots;
    private final Groups groups;

    RunEnding(Run run, Engine engine, PendingCheckpoint underway, Snapshots snapshots, Groups groups) {
        this.run = run;
        this.engine = engine;
        this.underway = underway;
        this.snapshots = snapshots;
        this.groups = groups;
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
