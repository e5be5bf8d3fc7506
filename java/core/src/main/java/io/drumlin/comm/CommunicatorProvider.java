package io.drumlin.comm;

import java.io.IOException;
import java.nio.file.Path;
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
     * Makes a file, replacing an old one, that the ranks write through what carries their messages, such as MPI-IO.
     * Collective.
     *
     * @param ranks any communicator
     * @param path the same on all ranks
     * @return empty when this provider does not carry the communicator, or has no files
     * @throws IOException on all ranks: the file cannot be made
     */
    default Optional<SharedFile> create(Communicator ranks, Path path) throws IOException {
        return Optional.empty();
    }

    /**
     * Ends this process's part in the job, as {@link Communicators#finish()} describes. Does nothing when this provider
     * has not started the carrier.
     *
     * @throws IOException the carrier could not be ended
     */
    void finish() throws IOException;
}
