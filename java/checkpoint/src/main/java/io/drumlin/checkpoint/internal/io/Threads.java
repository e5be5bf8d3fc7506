package io.drumlin.checkpoint.internal.io;

import org.jspecify.annotations.Nullable;

/** Waits for threads. */
public final class Threads {

    private Threads() {}

    /**
     * Waits for the end of a thread. An interrupt does not end the wait, because other ranks wait too; it is kept for
     * later.
     *
     * @param thread the thread; null if none was started
     */
    public static void join(@Nullable Thread thread) {
        boolean interrupted = false;
        while (thread != null && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
