package io.drumlin.checkpoint.internal.clock;

import io.drumlin.checkpoint.FtiCheckpoints.SnapshotPlan;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Computes the intervals that lose the least time, from the cost of a checkpoint and the rate of failures:
 * {@code ckpt_interval = auto}.
 *
 * <p>The interval of a level follows J. T. Daly, "A higher order estimate of the optimum checkpoint interval for
 * restart dumps", Future Generation Computer Systems 22 (2006) 303-312, whose first order is J. W. Young's
 * (Communications of the ACM 17 (1974) 530-531). A checkpoint of a level also counts for lower levels.
 */
public final class IntervalClock implements SnapshotClock {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final double NANOS = 1e9;

    /** Assumed cost of a checkpoint before one was taken, in seconds. */
    private static final double UNKNOWN_COST = 1;

    /** An interval that changes by less than this fraction is not logged again. */
    private static final double LOGGED_CHANGE = 0.1;

    private final Map<Level, Double> meanSecondsBetweenFailures;
    private final int maxSyncInterval;
    private final LongSupplier nanoTime;

    /** Smoothed seconds that the slowest rank took. */
    private final Map<Level, Double> costs = new EnumMap<>(Level.class);

    /** Number of completed iterations at the last checkpoint of a level or of a higher one. */
    private final Map<Level, Long> lastTaken = new EnumMap<>(Level.class);

    private final Map<Level, Double> logged = new EnumMap<>(Level.class);

    private long iterations;
    private long lastCall;
    private long syncInterval = 1;
    private long lastSync;
    private double secondsSinceSync;
    private double meanSeconds;
    private Optional<SnapshotPlan> newPlan = Optional.empty();

    /**
     * @param meanSecondsBetweenFailures mean seconds between failures that need a checkpoint of the level, for the
     *     levels that are taken
     * @param maxSyncInterval most iterations from one agreement to the next
     */
    public IntervalClock(Map<Level, Double> meanSecondsBetweenFailures, int maxSyncInterval, LongSupplier nanoTime) {
        this.meanSecondsBetweenFailures = meanSecondsBetweenFailures;
        this.maxSyncInterval = maxSyncInterval;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns the best interval to the start of the next checkpoint.
     *
     * @param cost seconds that a checkpoint takes
     * @param failures mean seconds between failures that need the checkpoint
     * @return seconds of computation
     */
    static double optimum(double cost, double failures) {
        if (cost >= 2 * failures) {
            return failures;
        }
        double ratio = cost / (2 * failures);
        return Math.sqrt(2 * cost * failures) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - cost;
    }

    @Override
    public Optional<Level> tick(Communicator comm, Sum sum) throws IOException {
        long now = nanoTime.getAsLong();
        newPlan = Optional.empty();
        if (iterations > 0) {
            secondsSinceSync += (now - lastCall) / NANOS;
            if (iterations - lastSync >= syncInterval) {
                agreeOnMean(comm, sum);
            }
        }
        lastCall = now;
        iterations++;
        Optional<Level> due = Optional.empty();
        for (Level level : meanSecondsBetweenFailures.keySet()) {
            if (meanSeconds > 0 && iterations - 1 >= next(level)) {
                due = Optional.of(level);
            }
        }
        return due;
    }

    /**
     * Agrees on the mean iteration time. Only the iterations since the last agreement count, so that the interval
     * follows a program whose speed changes.
     */
    private void agreeOnMean(Communicator comm, Sum sum) throws IOException {
        long calls = iterations - lastSync;
        long total = sum.of(Math.round(secondsSinceSync / calls * NANOS));
        meanSeconds = Math.max(total / NANOS / comm.size(), 1 / NANOS);
        lastSync = iterations;
        secondsSinceSync = 0;
        long shortest = Long.MAX_VALUE;
        long next = Long.MAX_VALUE;
        for (Level level : meanSecondsBetweenFailures.keySet()) {
            shortest = Math.min(shortest, intervalIterations(level));
            next = Math.min(next, next(level) + 1);
            logInterval(comm, level);
        }
        syncInterval = Math.max(1, Math.min(Math.min(2 * syncInterval, shortest / 2), maxSyncInterval));
        newPlan = Optional.of(new SnapshotPlan(iterations, shortest, next, calls));
    }

    private double interval(Level level) {
        double cost = costs.getOrDefault(level, UNKNOWN_COST);
        return optimum(cost, meanSecondsBetweenFailures.getOrDefault(level, 0.0));
    }

    private long intervalIterations(Level level) {
        return Math.max(1, Math.round(interval(level) / meanSeconds));
    }

    /**
     * Returns the number of completed iterations at which a checkpoint is due. It is one less than the number of calls.
     */
    private long next(Level level) {
        return lastTaken.getOrDefault(level, 0L) + intervalIterations(level);
    }

    private void logInterval(Communicator comm, Level level) {
        double interval = interval(level);
        double before = logged.getOrDefault(level, 0.0);
        if (comm.rank() > 0 || Math.abs(interval - before) <= LOGGED_CHANGE * before) {
            return;
        }
        logged.put(level, interval);
        String cost = costs.containsKey(level)
                ? String.format(Locale.ROOT, "takes %.2f s", costs.get(level))
                : String.format(Locale.ROOT, "is taken to take %.0f s until one was taken", UNKNOWN_COST);
        LOG.log(
                Logger.Level.INFO,
                String.format(
                        Locale.ROOT,
                        "a checkpoint of level %d %s and is needed every %.2f h: one every %.1f s of computation, "
                                + "%d iterations, loses the least time (Daly 2006)",
                        level.number(),
                        cost,
                        meanSecondsBetweenFailures.getOrDefault(level, 0.0) / 3600,
                        interval,
                        intervalIterations(level)));
    }

    @Override
    public Optional<SnapshotPlan> newPlan() {
        return newPlan;
    }

    @Override
    public void taken(Communicator comm, Level level, double seconds) throws IOException {
        long slowest = Agreement.max(comm, Math.round(seconds * NANOS));
        // The mean of old and new: a single slow checkpoint changes little, while a slower file system soon shows.
        costs.merge(level, slowest / NANOS, (old, last) -> (old + last) / 2);
        for (Level each : Level.values()) {
            if (each.number() <= level.number()) {
                lastTaken.put(each, iterations - 1);
            }
        }
        lastCall = nanoTime.getAsLong();
    }
}
