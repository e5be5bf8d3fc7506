package io.drumlin.scr.internal.settings;

import io.drumlin.DrumlinException;

/** Decides when a checkpoint is due, from SCR_CHECKPOINT_INTERVAL, _SECONDS and _OVERHEAD. Not thread-safe. */
public final class CheckpointIntervals {

    private static final double NANOS = 1e9;

    private final long interval;
    private final long seconds;
    private final long overhead;
    private final long opened = System.nanoTime();
    private long asked;
    private long began;
    private long ended = opened;
    private long spent;
    private long taken;

    public CheckpointIntervals(ScrSettings settings) throws DrumlinException {
        interval = settings.number("SCR_CHECKPOINT_INTERVAL");
        seconds = settings.number("SCR_CHECKPOINT_SECONDS");
        overhead = settings.number("SCR_CHECKPOINT_OVERHEAD");
    }

    /** Returns whether a checkpoint is due. The program calls it once at each opportunity. */
    public boolean isDue() {
        asked++;
        long now = System.nanoTime();
        boolean byInterval = interval > 0 && asked % interval == 0;
        boolean bySeconds = seconds > 0 && (now - ended) / NANOS >= seconds;
        return byInterval || bySeconds || isCheap(now);
    }

    /** Returns whether one more checkpoint of average cost keeps the share of time within the allowed overhead. */
    private boolean isCheap(long now) {
        if (overhead <= 0) {
            return false;
        }
        double average = taken == 0 ? 0 : (double) spent / taken;
        return (spent + average) * 100 <= (double) overhead * (now - opened);
    }

    public void begin() {
        began = System.nanoTime();
    }

    public void end() {
        ended = System.nanoTime();
        spent += ended - began;
        taken++;
    }
}
