package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints.SnapshotPlan;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.clock.IntervalClock;
import io.drumlin.checkpoint.internal.clock.MinuteClock;
import io.drumlin.checkpoint.internal.clock.SnapshotClock;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.StopConfig;
import io.drumlin.checkpoint.internal.config.StopConfig.When;
import io.drumlin.checkpoint.internal.engine.Run;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.stop.StopAgreement;
import io.drumlin.checkpoint.internal.stop.StopReason;
import io.drumlin.comm.Communicators;
import io.drumlin.internal.BatchSystem;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes checkpoints when they are due, and the last one when the job is to stop. Not thread-safe. */
final class Snapshots implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Assumed seconds of the last checkpoint as long as none was taken. */
    private static final double UNKNOWN_SECONDS = 30;

    private final Run run;
    private final StopConfig config;
    private final SnapshotClock clock;
    private final Map<Level, Double> longestSeconds = new EnumMap<>(Level.class);
    private int next = 1;
    private @Nullable StopAgreement stop;
    private boolean usesSnapshots;
    private boolean asked;
    private boolean lastTaken;
    private boolean completed;

    Snapshots(Run run) {
        this.run = run;
        FtiConfig all = run.config();
        config = all.stop();
        clock = all.meanSecondsBetweenFailures().isEmpty()
                ? new MinuteClock(all, System::nanoTime)
                : new IntervalClock(all.meanSecondsBetweenFailures(), all.maxSyncIntv(), System::nanoTime);
    }

    /** Starts with the id of the next checkpoint. */
    void begin(int nextCkptId) {
        next = nextCkptId;
        if (config.when() == When.EXIT) {
            watch();
        }
    }

    private StopAgreement watch() {
        StopAgreement made = StopAgreement.of(
                run.app().rank(),
                config,
                run.configFile().resolveSibling(run.configFile().getFileName() + ".halt"),
                run.config().maxSyncIntv(),
                this::secondsOfLast,
                // A launcher that ends a job sends SIGTERM and soon kills.
                () -> run.lease().ifPresent(Lease::endsSoon));
        stop = made;
        return made;
    }

    /** The level of the last checkpoint may not have been taken yet, and a lower one may take less time. */
    private double secondsOfLast() {
        double longest =
                longestSeconds.values().stream().mapToDouble(each -> each).max().orElse(UNKNOWN_SECONDS / 2);
        return longestSeconds.getOrDefault(config.level(), 2 * longest);
    }

    /** Records how long a checkpoint took on this rank, until its real end. May be called again for the same one. */
    void took(CheckpointReport report) {
        longestSeconds.merge(report.level(), report.writeSeconds() + report.postSeconds(), Math::max);
    }

    /** Notes that a snapshot recovers the data. */
    void recovers() {
        usesSnapshots = true;
    }

    /** Takes the checkpoint that is due, if one is. Collective. */
    Optional<CheckpointReport> take(Checkpoints checkpoints) throws IOException {
        usesSnapshots = true;
        Optional<Level> due = tick();
        if (stopReason().isPresent() && !lastTaken) {
            CheckpointReport report = take(checkpoints, config.level());
            checkpoints.await();
            lastTaken = true;
            if (config.when() == When.EXIT) {
                endProcess(checkpoints);
            }
            return Optional.of(report);
        }
        return due.isEmpty() ? Optional.empty() : Optional.of(take(checkpoints, due.get()));
    }

    private Optional<Level> tick() throws IOException {
        StopAgreement agreement = stop;
        if (agreement == null) {
            return clock.tick(run.app());
        }
        Optional<Level> due = clock.tick(run.app(), value -> agreement.sum(run.app(), value));
        agreement.look(run.app());
        return due;
    }

    private CheckpointReport take(Checkpoints checkpoints, Level level) throws IOException {
        CheckpointReport report = checkpoints.checkpoint(next, level);
        next++;
        clock.taken(run.app(), level, report.seconds());
        return report;
    }

    /** Ends the process of this rank. All ranks have met at the end of closing. */
    private static void endProcess(Checkpoints checkpoints) throws IOException {
        checkpoints.close();
        Communicators.finish();
        System.exit(Checkpoints.COME_AGAIN);
    }

    /** Returns when a checkpoint may be due next, if the ranks agreed on it in the last snapshot. */
    Optional<SnapshotPlan> newPlan() {
        return clock.newPlan();
    }

    /**
     * Returns whether the program is to end. In a program that takes snapshots they agree on it, because one of them must
     * take the last checkpoint. Collective.
     */
    boolean shouldStop() throws IOException {
        if (config.when() == When.NEVER) {
            return false;
        }
        StopAgreement agreement = stop == null ? watch() : stop;
        // The first question may come before the first snapshot.
        if (!usesSnapshots && asked) {
            agreement.look(run.app());
        }
        asked = true;
        return usesSnapshots ? lastTaken : agreement.agreed().isPresent();
    }

    private Optional<StopReason> stopReason() {
        return stop == null ? Optional.empty() : stop.agreed();
    }

    /** Notes that the run has reached its goal. */
    void completed() {
        completed = true;
    }

    /** Stops to look for signs, and has the job queued again if that is wanted. Collective. */
    @Override
    public void close() throws IOException {
        if (stop == null) {
            return;
        }
        stop.close();
        if (config.requeue()
                && !completed
                && stopReason().map(StopReason::comesAgain).orElse(false)) {
            if (run.app().rank() == 0) {
                requeue();
            }
            // A launcher kills the ranks that are left when one ends with a status other than 0.
            run.app().barrier();
        }
    }

    /** Stops to look for signs, without a message. */
    void abandon() {
        if (stop != null) {
            stop.close();
        }
    }

    private static void requeue() {
        try {
            new BatchSystem(System.getenv()).requeue();
            LOG.log(Logger.Level.INFO, "Slurm queues this job again");
        } catch (IOException e) {
            LOG.log(Logger.Level.WARNING, "this job is not queued again: {0}", e.getMessage());
        }
    }
}
