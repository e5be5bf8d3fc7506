package io.drumlin.scr.internal.flush;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Copies the files of one rank while the program continues. It does not communicate with other ranks; its starter does
 * so later.
 */
final class FlushThread {

    private final Thread thread;
    private @Nullable IOException failure;

    FlushThread(int id, Agreement.Step copy) {
        thread = new Thread(() -> run(id, copy), "drumlin-flush-" + id);
        thread.setDaemon(true);
    }

    private void run(int id, Agreement.Step copy) {
        try {
            copy.run();
        } catch (IOException e) {
            failure = e;
        } catch (Throwable e) {
            failure = DrumlinException.during("flushing dataset " + id)
                    .cause(e)
                    .advice("this is an error of the program or of Drumlin, see the cause")
                    .exception();
        }
    }

    void start() {
        thread.start();
    }

    boolean isDone() {
        return !thread.isAlive();
    }

    /**
     * Waits for the end. Returns the failure, if there was one. Other ranks wait too, so an interrupt is kept for
     * later.
     */
    @Nullable
    IOException await() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return failure;
    }
}
