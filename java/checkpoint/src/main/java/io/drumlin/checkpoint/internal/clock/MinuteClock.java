package io.drumlin.checkpoint.internal.clock;

import io.drumlin.checkpoint.FtiCheckpoints.SnapshotPlan;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The intervals of C FTI, {@code ckpt_l1} to {@code ckpt_l4}. Minutes are counted in iterations, by the mean iteration
 * time of all ranks (docs/formats/fti-run-directory.md, section 6).
 */
public final class MinuteClock implements SnapshotClock {

    private static final double MINUTE = 60;

    private final FtiConfig config;
    private final LongSupplier nanoTime;
    private final EnumMap<Level, Integer> periods = new EnumMap<>(Level.class);

    private long iterations;
    private long lastCall;
    private double totalSeconds;
    private double meanSeconds;
    private long syncInterval = 1;
    private long minuteIterations;
    private long lastMinute;
    private long nextMinute;
    private int minutes;
    private Optional<SnapshotPlan> newPlan = Optional.empty();

    public MinuteClock(FtiConfig config, LongSupplier nanoTime) {
        this.config = config;
        this.nanoTime = nanoTime;
    }

    @Override
    public Optional<Level> tick(Communicator comm, Sum sum) throws IOException {
        long now = nanoTime.getAsLong();
        newPlan = Optional.empty();
        if (iterations > 0) {
            totalSeconds += (now - lastCall) / 1e9;
            if (iterations % syncInterval == 0) {
                agreeOnMinute(comm, sum);
            }
        }
        lastCall = now;
        iterations++;
        if (iterations != nextMinute) {
            return Optional.empty();
        }
        minutes = meanSeconds > MINUTE ? (int) (totalSeconds / MINUTE) : minutes + 1;
        lastMinute = nextMinute;
        nextMinute += minuteIterations;
        return dueLevel();
    }

    @Override
    public Optional<SnapshotPlan> newPlan() {
        return newPlan;
    }

    @Override
    public void taken(Communicator comm, Level level, double seconds) {
        lastCall = nanoTime.getAsLong();
    }

    private void agreeOnMinute(Communicator comm, Sum sum) throws IOException {
        long total = sum.of(Math.round(totalSeconds / iterations * 1e9));
        meanSeconds = Math.max(total / 1e9 / comm.size(), 1e-9);
        long perMinute = meanSeconds > MINUTE ? 1 : Math.max(1, (long) Math.rint(MINUTE / meanSeconds));
        minuteIterations = (perMinute + config.fastForward() - 1) / config.fastForward();
        long next = lastMinute + minuteIterations + (lastMinute == 0 ? 1 : 0);
        // C FTI compares with >=. This iteration is over, so with >= no later iteration would ever match.
        if (next > iterations) {
            nextMinute = next;
        }
        newPlan = Optional.of(new SnapshotPlan(iterations, minuteIterations, nextMinute, syncInterval));
        if (syncInterval < minuteIterations / 2 && syncInterval < config.maxSyncIntv()) {
            syncInterval *= 2;
        }
    }

    private Optional<Level> dueLevel() {
        Optional<Level> due = Optional.empty();
        for (Level level : Level.values()) {
            int interval = config.interval(level);
            if (interval > 0 && minutes >= periods.getOrDefault(level, 1) * interval) {
                due = Optional.of(level);
                periods.merge(level, 2, (before, first) -> before + 1);
            }
        }
        return due;
    }
}
