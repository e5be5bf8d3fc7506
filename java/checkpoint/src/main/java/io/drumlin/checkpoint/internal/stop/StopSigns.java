package io.drumlin.checkpoint.internal.stop;

import java.util.Optional;

/** What one rank sees. */
interface StopSigns extends AutoCloseable {

    /** Returns the strongest sign that has been seen. */
    Optional<StopReason> seen();

    /** Removes what would also stop the next start. */
    void obeyed();

    @Override
    void close();
}
