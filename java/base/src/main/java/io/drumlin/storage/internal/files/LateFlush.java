package io.drumlin.storage.internal.files;

import java.io.IOException;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Flushes what a program leaves in the memory of an open file: when it has been there for a time, and when the JVM ends
 * in order, which it also does after {@code System.exit} and SIGTERM. One daemon thread does so for all files, while
 * there is something to wait for. Thread-safe.
 */
public final class LateFlush {

    /** How long data wait unless the program says otherwise, in nanoseconds. */
    public static final long DEFAULT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The age of data that wait for the end of the JVM only. */
    public static final long NEVER = Long.MAX_VALUE;

    /** How long the end of the JVM waits for calls on open files. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long POLL_MILLIS = 20;

    private static final Logger LOG = System.getLogger(LateFlush.class.getName());

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    /** Those that have data in memory. */
    private static final Set<LateFlush> WAITING = ConcurrentHashMap.newKeySet();

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(LateFlush::flushAll, "drumlin-flush-at-exit"));
        } catch (IllegalStateException e) {
            // The JVM is ending already, and the caller closes its file itself or loses what it did not flush.
            LOG.log(Logger.Level.DEBUG, "no flush at the end of the JVM", e);
        }
    }

    /** Writes the data of a file. */
    @FunctionalInterface
    public interface Flush {
        /**
         * Writes what is in memory, after locking out the program's own calls. Does nothing if nothing is left. Another
         * thread calls it.
         *
         * @throws IOException the data are still in memory
         */
        void run() throws IOException;
    }

    private final Flush flush;
    private volatile boolean waiting;
    private @Nullable Future<?> task;

    /**
     * Makes the guard of a file, without data.
     *
     * @param flush writes the data
     */
    public LateFlush(Flush flush) {
        this.flush = flush;
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(null, work, "drumlin-late-flush", 0, false);
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /**
     * Returns an age in nanoseconds.
     *
     * @param age 0 or more
     * @return its nanoseconds; {@link #NEVER} if they are too many
     * @throws IllegalArgumentException it is negative
     */
    public static long nanos(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("the maximum age is " + age + ", allowed 0 or more");
        }
        return age.compareTo(Duration.ofNanos(NEVER)) < 0 ? age.toNanos() : NEVER;
    }

    /**
     * Says that there are data in memory. Does nothing if there were some before. Callers of this and {@link #end} lock
     * each other out.
     *
     * @param nanos how long they may stay there; {@link #NEVER} for any time
     */
    public void begin(long nanos) {
        if (!waiting) {
            waiting = true;
            WAITING.add(this);
            schedule(nanos);
        }
    }

    private synchronized void schedule(long nanos) {
        if (waiting && nanos != NEVER) {
            task = TIMER.schedule(() -> runAtAge(nanos), nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Says that no data are in memory any more. */
    public void end() {
        if (waiting) {
            waiting = false;
            WAITING.remove(this);
            cancel();
        }
    }

    private synchronized void cancel() {
        if (task != null) {
            task.cancel(false);
            task = null;
        }
    }

    private void runAtAge(long nanos) {
        if (!runs()) {
            schedule(Math.max(nanos, DEFAULT_NANOS));
        }
    }

    /** Flushes, and returns whether that succeeded. */
    private boolean runs() {
        try {
            flush.run();
            return true;
        } catch (IOException | RuntimeException | Error e) {
            LOG.log(Logger.Level.WARNING, e.getMessage(), e);
            return false;
        }
    }

    /**
     * Flushes all files. The program's threads may be in calls, whose locks a flush waits for: one that hangs in a file
     * system, or one that ends the JVM itself and waits for this.
     */
    private static void flushAll() {
        long end = System.nanoTime() + LONGEST_WAIT_NANOS;
        for (LateFlush each : List.copyOf(WAITING)) {
            Thread flush = new Thread(null, each::runs, "drumlin-flush-of-a-file", 0, false);
            flush.setDaemon(true);
            flush.start();
            try {
                do {
                    flush.join(POLL_MILLIS);
                } while (flush.isAlive() && (flush.getState() != Thread.State.BLOCKED || System.nanoTime() < end));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            if (flush.isAlive()) {
                LOG.log(
                        Logger.Level.WARNING,
                        "the program ends within a call on an open file: what was in memory is not in the file");
            }
        }
    }
}
