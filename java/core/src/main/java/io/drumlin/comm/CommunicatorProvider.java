package io.drumlin.comm;

import java.io.IOException;
import java.util.Optional;

/** Found by {@link java.util.ServiceLoader}: gives communicators that core does not know, such as those of MPI. */
public interface CommunicatorProvider {

    /**
     * The communicator of all processes of the job.
     *
     * @return empty when this provider's carrier is not usable in this process and no job launcher expects it to be
     * @throws IOException the process is part of a parallel job but the carrier cannot be used; the message says why
     */
    Optional<Communicator> world() throws IOException;

    /**
     * Wraps a foreign communicator object, such as an {@code mpi.Comm} of Open MPI's Java bindings. Collective over it.
     *
     * @param foreign any object
     * @return empty when this provider does not know the object's class
     * @throws IOException the object is known but cannot be used; the message says why
     */
    Optional<Communicator> wrap(Object foreign) throws IOException;

    /**
     * Ends this process's part in the job, as {@link Communicators#finish()} describes. Does nothing when this provider
     * has not started the carrier.
     *
     * @throws IOException the carrier could not be ended
     */
    void finish() throws IOException;
}
