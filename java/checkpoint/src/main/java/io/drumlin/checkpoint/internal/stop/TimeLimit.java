package io.drumlin.checkpoint.internal.stop;

import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The end of the allocation, and how long before it the last checkpoint must begin. Not thread-safe.
 *
 * <p>A checkpoint may take twice as long as the slowest one so far. The program may take as long until the next look at
 * the clock as it took from any look to the next; the time before the first look does not count, because data are read and
 * prepared then. At least half of the time that was left at first remains for the program, so that every start gets on.
 */
final class TimeLimit {

    private static final double PER_SECOND = 1e9;

    private final double secondsAtFirst;
    private final double marginSeconds;
    private final DoubleSupplier checkpointSeconds;
    private final LongSupplier nanoTime;
    private final long begin;
    private OptionalLong lastLook = OptionalLong.empty();
    private long longestGap;

    /**
     * @param secondsLeft seconds from now to the end of the allocation
     * @param marginSeconds seconds to spare
     * @param checkpointSeconds what the last checkpoint is likely to take
     */
    TimeLimit(double secondsLeft, double marginSeconds, DoubleSupplier checkpointSeconds, LongSupplier nanoTime) {
        this.secondsAtFirst = secondsLeft;
        this.marginSeconds = marginSeconds;
        this.checkpointSeconds = checkpointSeconds;
        this.nanoTime = nanoTime;
        begin = nanoTime.getAsLong();
    }

    /** Returns whether the last checkpoint must begin before the next look at the clock. */
    boolean isNear() {
        long now = nanoTime.getAsLong();
        longestGap = Math.max(longestGap, now - lastLook.orElse(now));
        lastLook = OptionalLong.of(now);
        double left = secondsAtFirst - (now - begin) / PER_SECOND;
        double needed = marginSeconds + 2 * checkpointSeconds.getAsDouble() + longestGap / PER_SECOND;
        return left <= Math.min(needed, secondsAtFirst / 2);
    }
}
