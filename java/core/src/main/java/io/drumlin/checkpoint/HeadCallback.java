package io.drumlin.checkpoint;

import java.io.IOException;

/** What a head does for the program while its node gives it nothing to do: {@link Checkpoints.Builder#headCallback}. */
@FunctionalInterface
public interface HeadCallback {
    /**
     * Does a piece of work, in the thread of the head. Checkpoints that are given to heads wait until it returns.
     *
     * @param head the run, to be asked where this head stands and for the communicator of the heads; not to be closed here
     * @throws IOException like any other exception it ends the calls, not the run
     */
    void call(Checkpoints head) throws IOException;
}
