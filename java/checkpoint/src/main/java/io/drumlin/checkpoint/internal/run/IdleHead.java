package io.drumlin.checkpoint.internal.run;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The work of a head between orders: it waits, or calls the program's callback.
 *
 * <p>A call that took at least as long as the longest pause did some work, so the next call follows at once. After a
 * shorter call the head pauses, first for a short time, so that the processor is free for ranks that compute.
 */
final class IdleHead {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** In nanoseconds, as in the waits of libdrumlin_mpi. */
    private static final long SHORTEST_PAUSE = 20_000;

    private static final long LONGEST_PAUSE = 320_000;

    private final HeadLink link;
    private final Checkpoints head;
    private Optional<HeadCallback> callback;

    IdleHead(HeadLink link, Checkpoints head, Optional<HeadCallback> callback) {
        this.link = link;
        this.head = head;
        this.callback = callback;
    }

    /** Calls the callback until there are orders; returns at once if there is no callback. */
    void awaitOrders() throws IOException {
        long pause = SHORTEST_PAUSE;
        while (callback.isPresent() && !link.hasOrders()) {
            long begin = System.nanoTime();
            call();
            if (System.nanoTime() - begin >= LONGEST_PAUSE) {
                pause = SHORTEST_PAUSE;
            } else {
                LockSupport.parkNanos(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
        }
    }

    /** Calls the callback, if there is one. If it fails it is not called again. */
    void call() {
        try {
            if (callback.isPresent()) {
                callback.get().call(head);
            }
        } catch (Throwable e) {
            callback = Optional.empty();
            RunDescription run = head.describe();
            LOG.log(
                    Logger.Level.ERROR,
                    "rank " + run.rank() + ", head of node " + run.node() + ": the callback failed and is not called"
                            + " again; the head goes on with the checkpoints of its node",
                    e);
        }
    }
}
