package io.drumlin.comm;

/**
 * The work of one rank.
 *
 * @param <X> exception that it may throw
 */
@FunctionalInterface
public interface RankBody<X extends Exception> {

    /**
     * Does the work of the calling rank.
     *
     * @param world the communicator of all ranks; the caller closes it
     * @throws X the rank failed
     */
    void run(Communicator world) throws X;
}
