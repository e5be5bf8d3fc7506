package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.CommunicatorProvider;
import io.drumlin.comm.internal.Launcher;
import io.drumlin.comm.internal.Providers;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

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
        Optional<Communicator> world = Providers.first(CommunicatorProvider::world);
        return world.isPresent() ? world.get() : single(System.getenv());
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
        Optional<Communicator> wrapped = Providers.first(provider -> provider.wrap(foreign));
        if (wrapped.isPresent()) {
            return wrapped.get();
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
        Providers.first(provider -> {
            provider.finish();
            return Optional.empty();
        });
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
}
