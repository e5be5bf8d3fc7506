package io.drumlin.comm;

import java.io.IOException;

/** Ends this process's part in the job if the program ends normally, and only then. Thread-safe. */
final class EndOfMain {

    private static final System.Logger LOG = System.getLogger(EndOfMain.class.getName());

    /** Name of the thread in which the JVM waits for the end of a program whose {@code main} has returned. */
    private static final String WAITS_FOR_THE_END = "DestroyJavaVM";

    private static boolean watched;
    private static volatile boolean wanted;
    private static volatile boolean failed;

    private EndOfMain() {}

    /**
     * Sets whether to leave the job when {@code main} has returned. The thread whose exceptions count as failures must
     * call it.
     */
    static synchronized void leaveJob(boolean wish) {
        wanted = wish;
        if (wish && !watched) {
            watched = true;
            watch(Thread.currentThread());
            Runtime.getRuntime().addShutdownHook(new Thread(null, EndOfMain::leave, "drumlin-end-of-job", 0, false));
        }
    }

    private static void watch(Thread main) {
        Thread.UncaughtExceptionHandler before = main.getUncaughtExceptionHandler();
        main.setUncaughtExceptionHandler((thread, thrown) -> {
            failed = true;
            // On the other ranks the job usually ends here.
            AgreedFailure.of(thrown).ifPresent(AgreedFailure::awaitReporter);
            before.uncaughtException(thread, thrown);
        });
    }

    /**
     * After a failure, the other ranks may wait for this one in a collective call, and this one would wait for them.
     */
    private static void leave() {
        if (!wanted || failed || !mainHasReturned()) {
            return;
        }
        try {
            Communicators.finish();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, e.getMessage(), e);
        }
    }

    /** Returns whether {@code main} has returned. It has not after {@code System.exit} or a signal. */
    private static boolean mainHasReturned() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(WAITS_FOR_THE_END));
    }
}
