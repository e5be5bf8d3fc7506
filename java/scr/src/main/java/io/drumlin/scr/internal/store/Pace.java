package io.drumlin.scr.internal.store;

/** Limits the rate at which a rank copies, until somebody waits for the copy. Thread-safe. */
public final class Pace {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final double bytesPerSecond;
    private final long begin = System.nanoTime();
    private long copied;
    private boolean lifted;

    private Pace(double bytesPerSecond, boolean lifted) {
        this.bytesPerSecond = bytesPerSecond;
        this.lifted = lifted;
    }

    public static Pace unlimited() {
        return new Pace(1, true);
    }

    /**
     * Returns the pace of one of several ranks that copy at the same time.
     *
     * @param bytesPerSecond bytes of all ranks in a second; 0 or below for no limit
     */
    public static Pace of(long bytesPerSecond, int ranks) {
        return bytesPerSecond <= 0 ? unlimited() : new Pace((double) bytesPerSecond / ranks, false);
    }

    /** Counts bytes, and waits until they may have been copied. */
    synchronized void copied(long bytes) {
        copied += bytes;
        long due = begin + (long) (copied / bytesPerSecond * NANOS_PER_SECOND);
        for (long left = due - System.nanoTime(); !lifted && left > 0; left = due - System.nanoTime()) {
            try {
                wait(left / NANOS_PER_MILLI + 1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                lifted = true;
            }
        }
    }

    /** Lifts the limit, also for a copy that is waiting. */
    public synchronized void lift() {
        lifted = true;
        notifyAll();
    }
}
