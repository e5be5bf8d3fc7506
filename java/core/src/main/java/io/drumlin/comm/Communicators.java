package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Where programs get their communicators, whatever carries the messages.
 *
 * <p>A program in which every process is a rank looks like this:
 *
 * <pre>{@code
 * public static void main(String[] args) throws IOException {
 *     Communicators.run(world -> simulate(world, args));
 * }
 * }</pre>
 *
 * <p>Thread-safe; but where MPI carries the messages, one thread makes all calls unless MPI was built for more.
 */
public final class Communicators {

    private static final System.Logger LOG = System.getLogger(Communicators.class.getName());

    private Communicators() {}

    /**
     * The communicator of all processes of the job: that of MPI where the module drumlin-mpi is on the class path and
     * usable, else a {@link SingleCommunicator}. Can be called again; each call gives a communicator of its own.
     * Collective.
     *
     * @return a communicator to be closed by the caller
     * @throws IOException this process was started as one of several but no MPI can be used: going on would mean several
     *     programs of one rank each
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

    /** The communicator of a process for which no provider has one. */
    static Communicator single(Map<String, String> environment) throws IOException {
        Optional<String> job = Launcher.parallelJob(environment);
        if (job.isPresent()) {
            throw DrumlinException.during("joining the parallel job")
                    .problem("the launcher started several processes (" + job.get()
                            + ") but there is no MPI on the class path")
                    .advice("add drumlin-mpi to the class path, or pass a communicator of your own")
                    .exception();
        }
        return new SingleCommunicator();
    }

    /**
     * A communicator made from whatever the program has: a {@link Communicator}, which is duplicated, or an object that
     * a provider knows, such as an {@code mpi.Comm} of Open MPI's Java bindings. Collective over it.
     *
     * @param foreign the program's communicator; stays the program's own
     * @return a communicator to be closed by the caller
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
     * Ends this process's part in the job: finalises MPI if, and only if, {@link #world()} initialised it. To be called
     * once, at the end of the program, by the thread that called {@code world()} first and after all communicators were
     * closed; MPI cannot be started again. Without it mpirun takes the end of the process for a crash. Not done by
     * closing communicators, because a program may open the world again; {@link #finishAfterMain} does it at the end. Collective.
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
     * Leaves {@link #finish()} to the end of the program: it is called when {@code main} has returned and no other thread of the
     * program runs, unless the thread that called this method ended with an exception. It is not called after
     * {@code System.exit} or a signal, since other ranks may then be in a call that waits for this one.
     *
     * @param wanted true to ask for it, false to take that back
     */
    public static void finishAfterMain(boolean wanted) {
        EndOfMain.leaveJob(wanted);
    }

    /**
     * Makes a file that the ranks write through what carries their messages, replacing an old one. Collective.
     *
     * @param ranks any communicator
     * @param path the same on all ranks
     * @return empty where the carrier has no files
     * @throws IOException on all ranks: the file cannot be made
     */
    public static Optional<SharedFile> create(Communicator ranks, Path path) throws IOException {
        if (ranks.nativeHandle().isEmpty()) {
            return Optional.empty();
        }
        try {
            for (CommunicatorProvider provider : ServiceLoader.load(CommunicatorProvider.class)) {
                Optional<SharedFile> file = provider.create(ranks, path);
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
     * The whole life of a program in which every process is a rank: {@link #world()}, the body, {@link #finish()}. When
     * the body throws, the job is aborted with status 1 where other ranks might wait for this one forever. Collective.
     *
     * @param <X> what the body may throw
     * @param body the work of this rank; the communicator it gets is closed afterwards
     * @throws X what the body threw, where there is no other rank
     * @throws IOException the job could not be joined or left
     */
    public static <X extends Exception> void run(RankBody<X> body) throws X, IOException {
        Communicator world = world();
        try {
            body.run(world);
        } catch (Throwable thrown) {
            if (world.size() > 1) {
                LOG.log(System.Logger.Level.ERROR, "rank " + world.rank() + " failed, aborting the job", thrown);
                world.abort(1);
            }
            throw thrown;
        }
        world.close();
        finish();
    }

    private static DrumlinException unusableProvider(Throwable cause) {
        return DrumlinException.during("looking for communicators")
                .problem("a communicator provider on the class path does not load: " + cause)
                .advice("use jars of one Drumlin version")
                .cause(cause)
                .exception();
    }
}
