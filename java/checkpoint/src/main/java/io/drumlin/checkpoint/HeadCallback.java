package io.drumlin.checkpoint;

import java.io.IOException;

/**
 * Work that a head does for the program while its node gives it nothing to do:
 * {@link Checkpoints.Builder#headCallback}.
 */
@FunctionalInterface
public interface HeadCallback {
    /**
     * Does a piece of work, in the thread of the head. Checkpoints for the heads wait until it returns.
     *
     * @param head the run, which gives the place of this head, the communicator of the heads, and the stashes that
     *     heads can make together; the callback must not close it
     * @throws IOException like any other exception, it ends the calls but not the run
     */
    void call(Checkpoints head) throws IOException;
}
