package io.drumlin.comm.internal;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.storage.internal.files.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Provides communicators that core does not know, such as those of MPI. {@link java.util.ServiceLoader} finds it. */
public interface CommunicatorProvider {

    /**
     * Returns the communicator of all processes of the job.
     *
     * @return empty if this provider's carrier cannot be used in this process and no job launcher expects it
     * @throws IOException the process is part of a parallel job but the carrier cannot be used; the message says why
     */
    Optional<Communicator> world() throws IOException;

    /**
     * Wraps a foreign communicator object, such as an {@code mpi.Comm} of Open MPI's Java bindings. Collective over it.
     *
     * @param foreign any object
     * @return empty if this provider does not know the object's class
     * @throws IOException the object is known but cannot be used; the message says why
     */
    Optional<Communicator> wrap(Object foreign) throws IOException;

    /**
     * Makes a file, replacing an old one, that the ranks write through the carrier of their messages, such as MPI-IO.
     * Collective.
     *
     * @param ranks any communicator
     * @param path the same on all ranks
     * @param hints keys and values for the carrier, the same on all ranks; it ignores those that it does not know
     * @return empty if this provider does not carry the communicator, or has no files
     * @throws IOException on all ranks: the file cannot be made
     */
    default Optional<SharedFile> create(Communicator ranks, Path path, Map<String, String> hints) throws IOException {
        return Optional.empty();
    }

    /**
     * Opens a file of this rank alone through the carrier of the messages. Not collective, and no call on the file is.
     *
     * @param ranks any communicator
     * @param path the file
     * @param access what the file is opened for
     * @param hints keys and values for the carrier, which ignores those that it does not know
     * @return empty if this provider does not carry the communicator, or has no files
     * @throws IOException the file cannot be opened
     */
    default Optional<SharedFile> openAlone(
            Communicator ranks, Path path, SharedFile.Access access, Map<String, String> hints) throws IOException {
        return Optional.empty();
    }

    /**
     * Ends this process's part in the job, as {@link Communicators#finish()} describes. Does nothing if this provider
     * has not started the carrier.
     *
     * @throws IOException the carrier could not be ended
     */
    void finish() throws IOException;
}
