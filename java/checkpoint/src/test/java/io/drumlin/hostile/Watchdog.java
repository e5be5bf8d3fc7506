package io.drumlin.hostile;

import io.drumlin.hostile.Life.Failure;
import java.util.Map;

/** Tells of a job that hangs. */
final class Watchdog {

    private static final long PATIENCE = 60_000;

    private Watchdog() {}

    /** A job. */
    @FunctionalInterface
    interface Job {
        void run() throws Exception;
    }

    /** @return what the job threw, or {@code null} */
    static Throwable run(Job job) throws Failure {
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(
                () -> {
                    try {
                        job.run();
                    } catch (Throwable e) {
                        thrown[0] = e;
                    }
                },
                "hostile-job");
        thread.setDaemon(true);
        thread.start();
        try {
            thread.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
        if (thread.isAlive()) {
            throw new Failure("hangs for a minute" + stacks());
        }
        return thrown[0];
    }

    private static String stacks() {
        StringBuilder words = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> each :
                Thread.getAllStackTraces().entrySet()) {
            if (each.getKey().getName().startsWith("drumlin")) {
                words.append("\n    ").append(each.getKey().getName());
                for (StackTraceElement frame : each.getValue()) {
                    words.append("\n      ").append(frame);
                }
            }
        }
        return words.toString();
    }
}
