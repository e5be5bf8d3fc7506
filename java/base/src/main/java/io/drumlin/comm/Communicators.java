package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Gives programs their communicators, whatever carries the messages.
 *
 * <p>A program in which every process is a rank looks like this:
 *
 * <pre>{@code
 * public static void main(String[] args) throws IOException {
 *     Communicators.run(world -> simulate(world, args));
 * }
 * }</pre>
 *
 * <p>Thread-safe. But if MPI carries the messages, one thread must make all calls unless MPI was built for more.
 */
public final class Communicators {

    private static final System.Logger LOG = System.getLogger(Communicators.class.getName());

    private Communicators() {}

    /**
     * Returns the communicator of all processes of the job: that of MPI if drumlin-mpi is on the class path or
     * module path and usable, else a {@link SingleCommunicator}. It may be called again; each call gives a new communicator.
     * Collective.
     *
     * @return a communicator, which the caller must close
     * @throws IOException this process was started as one of several but no MPI can be used: continuing would mean
     *     several programs of one rank each
     */
    public static Communicator world() throws IOException {
        try {
            for (CommunicatorProvider provider : ServiceLoader.load(CommunicatorProvider.class)) {
                Optional<Communicator> world = provider.world();
                if (world.isPresent()) {
                    return world.get();
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusableProvider(e);
        }
        return single(System.getenv());
    }

    /** Makes the communicator of a process for which no provider has one. */
    static Communicator single(Map<String, String> environment) throws IOException {
        Optional<String> job = Launcher.parallelJob(environment);
        if (job.isPresent()) {
            throw DrumlinException.during("joining the parallel job")
                    .problem("the launcher started several processes (" + job.get()
                            + ") but there is no MPI on the class path or module path")
                    .advice("add drumlin-mpi there, or pass a communicator of your own")
                    .exception();
        }
        return new SingleCommunicator();
    }

    /**
     * Makes a communicator from an object of the program: a {@link Communicator}, which is duplicated, or an object
     * that a provider knows, such as an {@code mpi.Comm} of Open MPI's Java bindings. Collective over it.
     *
     * @param foreign the program's communicator; the program keeps it
     * @return a communicator, which the caller must close
     * @throws IOException nothing on the class path can use the object; the message says why
     */
    public static Communicator of(Object foreign) throws IOException {
        if (foreign instanceof Communicator communicator) {
            return communicator.dup();
        }
        try {
            for (CommunicatorProvider provider : ServiceLoader.load(CommunicatorProvider.class)) {
                Optional<Communicator> wrapped = provider.wrap(foreign);
                if (wrapped.isPresent()) {
                    return wrapped.get();
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusableProvider(e);
        }
        throw DrumlinException.during(
                        "using a communicator of class " + foreign.getClass().getName())
                .problem("nothing on the class path knows this class")
                .advice("pass a Communicator, or an mpi.Comm with drumlin-mpi on the class path")
                .exception();
    }

    /**
     * Ends this process's part in the job: finalises MPI if, and only if, {@link #world()} initialised it. The thread
     * that called {@code world()} first must call it once, at the end of the program, after all communicators are
     * closed. MPI cannot be started again. Without this call mpirun takes the end of the process for a crash. Closing
     * communicators does not do this, because a program may open the world again; {@link #finishAfterMain} does it at
     * the end. Collective.
     *
     * @throws IOException MPI could not be finalised
     */
    public static void finish() throws IOException {
        try {
            for (CommunicatorProvider provider : ServiceLoader.load(CommunicatorProvider.class)) {
                provider.finish();
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusableProvider(e);
        }
    }

    /**
     * Schedules {@link #finish()} for the end of the program. It is called when {@code main} has returned and no other
     * thread of the program runs, unless the thread that called this method ended with an exception. It is not called
     * after {@code System.exit} or a signal, because other ranks may then be in a call that waits for this one.
     *
     * @param wanted true to schedule the call, false to cancel it
     */
    public static void finishAfterMain(boolean wanted) {
        EndOfMain.leaveJob(wanted);
    }

    /**
     * Makes a file that the ranks write through the carrier of their messages, replacing an old one. Collective.
     *
     * @param ranks any communicator
     * @param path the same on all ranks
     * @param hints keys and values for the carrier, the same on all ranks; it ignores those that it does not know
     * @return empty if the carrier has no files
     * @throws IOException on all ranks: the file cannot be made
     */
    public static Optional<SharedFile> create(Communicator ranks, Path path, Map<String, String> hints)
            throws IOException {
        return carried(ranks, provider -> provider.create(ranks, path, hints));
    }

    /**
     * Opens a file of this rank alone through the carrier of the messages. Not collective, and no call on the file is.
     *
     * @param ranks any communicator
     * @param path the file
     * @param access what the file is opened for
     * @param hints keys and values for the carrier, which ignores those that it does not know
     * @return empty if the carrier has no files
     * @throws IOException the file cannot be opened
     */
    public static Optional<SharedFile> openAlone(
            Communicator ranks, Path path, SharedFile.Access access, Map<String, String> hints) throws IOException {
        return carried(ranks, provider -> provider.openAlone(ranks, path, access, hints));
    }

    /** Opens a file with one of the providers. */
    private interface FileOpening {
        Optional<SharedFile> by(CommunicatorProvider provider) throws IOException;
    }

    private static Optional<SharedFile> carried(Communicator ranks, FileOpening opening) throws IOException {
        if (ranks.nativeHandle().isEmpty()) {
            return Optional.empty();
        }
        try {
            for (CommunicatorProvider provider : ServiceLoader.load(CommunicatorProvider.class)) {
                Optional<SharedFile> file = opening.by(provider);
                if (file.isPresent()) {
                    return file;
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusableProvider(e);
        }
        return Optional.empty();
    }

    /**
     * Runs a program in which every process is a rank: {@link #world()}, the body, {@link #finish()}. If the body
     * throws and other ranks might wait for this one forever, the job is aborted with status 1. The exception is logged;
     * one that all ranks throw together is logged by the first rank that failed. Collective.
     *
     * @param <X> exception that the body may throw
     * @param body the work of this rank; its communicator is closed afterwards
     * @throws X the exception of the body, if there is no other rank
     * @throws IOException the job could not be joined or left
     */
    public static <X extends Exception> void run(RankBody<X> body) throws X, IOException {
        Communicator world = world();
        try {
            body.run(world);
        } catch (Throwable thrown) {
            if (world.size() > 1) {
                report(world.rank(), thrown);
                world.abort(1);
            }
            throw thrown;
        }
        world.close();
        finish();
    }

    /** Logs why the job ends. A failure that all ranks have agreed on is logged by one of them. */
    private static void report(int rank, Throwable thrown) {
        Optional<AgreedFailure> agreed = AgreedFailure.of(thrown);
        // On the other ranks the job usually ends here.
        agreed.ifPresent(AgreedFailure::awaitReporter);
        String where = agreed.map(failure -> " (" + failure.getMessage() + ")").orElse("");
        LOG.log(System.Logger.Level.ERROR, "rank " + rank + " failed, aborting the job" + where, thrown);
    }

    private static DrumlinException unusableProvider(Throwable cause) {
        return DrumlinException.during("looking for communicators")
                .problem("a communicator provider on the class path does not load: " + cause)
                .advice("use jars of one Drumlin version")
                .cause(cause)
                .exception();
    }
}
