package io.drumlin.storage.internal;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The daemon threads of this JVM that carry out started transfers for engines without a queue in the kernel.
 * Thread-safe.
 */
final class TransferThreads {

    /** Enough to keep an NVMe device busy. The threads wait in the kernel and take hardly any CPU time. */
    private static final int THREADS = 8;

    /** Largest number of transfers that have started and not ended. */
    private static final int IN_FLIGHT = 64;

    private static final Semaphore SLOTS = new Semaphore(IN_FLIGHT);
    private static final ThreadPoolExecutor POOL = makePool();

    private TransferThreads() {}

    /**
     * Makes a thread do {@code work}, which must not throw. Blocks while too many transfers are under way. If the
     * system gives no thread ({@code ulimit -u}), the caller does the work.
     */
    static void execute(Runnable work) {
        SLOTS.acquireUninterruptibly();
        Once once = new Once(work);
        try {
            POOL.execute(once);
        } catch (OutOfMemoryError e) {
            // Thread.start throws this error. The pool may have accepted the work even so.
            once.run();
        }
    }

    /** The first thread to call it does the work. */
    private static final class Once implements Runnable {

        private final AtomicReference<@Nullable Runnable> work;

        Once(Runnable work) {
            this.work = new AtomicReference<>(work);
        }

        @Override
        public void run() {
            Runnable mine = work.getAndSet(null);
            if (mine != null) {
                try {
                    mine.run();
                } finally {
                    SLOTS.release();
                }
            }
        }
    }

    private static ThreadPoolExecutor makePool() {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), TransferThreads::makeThread);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static Thread makeThread(Runnable loop) {
        Thread thread = new Thread(null, loop, "drumlin-transfer", 0, false);
        thread.setDaemon(true);
        // The pool outlives the thread that started the first transfer and must not hold its class loader.
        thread.setContextClassLoader(null);
        return thread;
    }
}
