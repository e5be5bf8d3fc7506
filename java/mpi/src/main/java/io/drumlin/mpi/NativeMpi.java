package io.drumlin.mpi;

import static io.drumlin.mpi.Results.failure;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Arguments;
import io.drumlin.comm.internal.Launcher;
import io.drumlin.internal.MemoryFault;
import io.drumlin.nativecore.CoreLibrary;
import io.drumlin.nativecore.NativeCore;
import io.drumlin.nativecore.NativeMemory;
import io.drumlin.nativecore.mpi.MpiLibrary;
import io.drumlin.nativecore.mpi.NativeMpiCore;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An MPI communicator. It is always a duplicate made by Drumlin, so its messages never mix with those of the program.
 *
 * <p><b>Which MPI.</b> Open MPI or an MPI with MPICH's binary interface. The one that the program has loaded is used;
 * else the one that {@code -Ddrumlin.mpi} or the environment variable {@code DRUMLIN_MPI} names ({@code openmpi},
 * {@code mpich} or the path of an MPI library); else the one whose launcher started the process.
 *
 * <p><b>Beginning.</b> {@link #world()} joins MPI if the program has initialised it; otherwise it initialises MPI. It
 * can be called any number of times, even after the communicators of earlier calls were closed.
 *
 * <p><b>End.</b> Closing a communicator never finalises MPI, because MPI cannot be started twice in a process.
 * {@link #finish()} does that, once, at the end of the program, and only if Drumlin has initialised MPI. A program that
 * has initialised MPI itself must also finalise it. {@link io.drumlin.comm.Communicators#finishAfterMain} calls it for
 * a program whose {@code main} has returned, but never if this rank has failed, because MPI would wait for ranks that
 * never come.
 *
 * <p><b>Signals.</b> The JVM needs SIGSEGV for its null checks. If Drumlin loads and initialises MPI, it restores the
 * handlers that MPI libraries (UCX, PSM) replace, and refuses to continue if that fails. If others have initialised MPI
 * and the handler is lost, a warning names the library and the remedy.
 *
 * <p><b>Threads.</b> Thread-safe if {@link #threadMultiple()} is true; otherwise one thread must make all calls of the
 * process.
 *
 * <p>Heap messages are copied during a transfer; direct ones are not.
 */
public final class NativeMpi implements Communicator {

    private static final System.Logger LOG = System.getLogger(NativeMpi.class.getName());
    private static final int SIGSEGV = 11;

    private static boolean initializedHere;
    private static boolean signalsChecked;

    private final long comm;
    private final int rank;
    private final int size;
    private volatile boolean closed;

    private NativeMpi(long comm) throws DrumlinException {
        this.comm = comm;
        this.rank = (int) check(MpiLibrary.drumlin_mpi_comm_rank(comm), DrumlinException.during("MPI_Comm_rank"));
        this.size = (int) check(MpiLibrary.drumlin_mpi_comm_size(comm), DrumlinException.during("MPI_Comm_size"));
    }

    /**
     * Returns the reason why native MPI cannot be used in this process. The call loads the libraries, but does not
     * initialise MPI.
     *
     * @return {@code null} if it can; otherwise the message lists everything that was tried and says what to do
     */
    public static @Nullable Throwable unavailabilityCause() {
        return NativeMpiCore.unavailabilityCause();
    }

    /**
     * Returns the MPI library's description of itself. It can be called before MPI is initialised.
     *
     * @return name and version
     * @throws IOException native MPI cannot be used
     */
    public static String library() throws IOException {
        requireAvailable();
        return libraryName();
    }

    private static String libraryName() {
        return String.valueOf(NativeMemory.string(MpiLibrary.drumlin_mpi_library()));
    }

    /**
     * Returns a duplicate of MPI_COMM_WORLD, and initialises MPI if nobody has done so. A process that was started
     * without a launcher is a world of one rank. Collective.
     *
     * @return a communicator, which the caller must close
     * @throws IOException native MPI cannot be used, or is not the MPI whose launcher started this process
     */
    public static NativeMpi world() throws IOException {
        requireAvailable();
        initialize();
        long world = check(MpiLibrary.drumlin_mpi_comm_world(), DrumlinException.during("joining MPI"));
        requireLaunchersSize(MpiLibrary.drumlin_mpi_comm_size(world));
        return duplicate(world);
    }

    /**
     * Returns a duplicate of a communicator of the program. Collective over it.
     *
     * @param handle its {@code MPI_Comm}, widened to 64 bits, from the MPI that Drumlin uses; not checked
     * @return a communicator, which the caller must close
     * @throws IOException native MPI cannot be used, is not initialised, or the handle is that of an inter-communicator
     */
    public static NativeMpi of(long handle) throws IOException {
        requireAvailable();
        if (!isAlive()) {
            throw DrumlinException.during("using a communicator")
                    .problem("MPI is not initialised in this process, or already finalised, as far as Drumlin's library"
                            + " can see; that runs on " + libraryName() + " (" + NativeMpiCore.reason() + ")")
                    .advice(
                            "initialise MPI before, and let Drumlin use the MPI of the program: -Ddrumlin.mpi=openmpi or mpich")
                    .exception();
        }
        initialize();
        return duplicate(handle);
    }

    /**
     * Finalises MPI if Drumlin has initialised it; otherwise, and on a second call, does nothing. The thread that
     * called {@link #world()} first must call it at the end of the program. Collective over all processes of the job.
     *
     * @throws IOException MPI could not be finalised
     */
    public static void finish() throws IOException {
        synchronized (NativeMpi.class) {
            if (!initializedHere) {
                return;
            }
            initializedHere = false;
        }
        check(MpiLibrary.drumlin_mpi_finalize(), DrumlinException.during("MPI_Finalize"));
    }

    /**
     * Makes an exception that no thread catches end the whole job with status 1. Without this, a rank that dies in this
     * way while its other threads live on leaves the other ranks waiting. Replaces the JVM's default handler, so it is
     * meant for programs, not for libraries.
     */
    public static void abortOnUncaughtException() {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            LOG.log(Level.ERROR, "uncaught exception in thread " + thread.getName() + ", aborting the job", thrown);
            abortJob(1);
        });
    }

    /**
     * Returns whether several threads may call MPI at once.
     *
     * @return true if MPI provides MPI_THREAD_MULTIPLE
     */
    @Override
    public boolean threadMultiple() {
        checkOpen();
        return MpiLibrary.drumlin_mpi_thread_level() == 3;
    }

    private static void requireAvailable() throws DrumlinException {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw DrumlinException.during("loading native MPI")
                    .problem(String.valueOf(cause.getMessage()))
                    .cause(cause)
                    .exception();
        }
    }

    private static boolean isAlive() {
        return MpiLibrary.drumlin_mpi_thread_level() >= 0;
    }

    private static synchronized void initialize() throws DrumlinException {
        boolean wasAlive = isAlive();
        int result = MpiLibrary.drumlin_mpi_init();
        if (!wasAlive && isAlive() && result < 0) {
            initializedHere = true;
            throw DrumlinException.during("MPI_Init_thread of " + libraryName())
                    .problem(NativeCore.signalsLostTo("MPI"))
                    .exception();
        }
        if (!wasAlive && result < 0) {
            check(result, DrumlinException.during("MPI_Init_thread of " + libraryName()));
        }
        initializedHere = check(result, DrumlinException.during("joining MPI")) == 1;
        if (!signalsChecked) {
            signalsChecked = true;
            warnOfLostSignals(NativeMemory.string(CoreLibrary.drumlin_signal_owner(SIGSEGV)));
        }
    }

    private static void warnOfLostSignals(@Nullable String owner) {
        if (owner != null && !owner.contains("libjvm")) {
            LOG.log(
                    Level.WARNING,
                    "SIGSEGV is handled by {0}, not by the JVM: the next NullPointerException will kill this process."
                            + " Set UCX_ERROR_SIGNALS= (empty) in the environment of the job, or let Drumlin initialise"
                            + " MPI, or start with LD_PRELOAD=$JAVA_HOME/lib/libjsig.so",
                    owner.isEmpty() ? "nobody" : owner);
        }
    }

    /** If the launcher of another MPI starts N processes, each believes that it is alone. */
    private static void requireLaunchersSize(int worldSize) throws DrumlinException {
        OptionalInt processes = Launcher.processes(System.getenv());
        if (worldSize == 1 && processes.orElse(1) > 1) {
            throw DrumlinException.during("joining MPI")
                    .problem("the launcher started " + processes.getAsInt() + " processes, but for " + libraryName()
                            + ", which Drumlin uses (" + NativeMpiCore.reason() + "), this one is alone")
                    .advice(
                            "use the launcher of that MPI, choose the MPI of the launcher by -Ddrumlin.mpi=openmpi or mpich, or"
                                    + " build Drumlin with the MPI of the launcher")
                    .exception();
        }
    }

    private static NativeMpi duplicate(long comm) throws DrumlinException {
        return new NativeMpi(check(MpiLibrary.drumlin_mpi_comm_dup(comm), DrumlinException.during("MPI_Comm_dup")));
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public void barrier() throws IOException {
        checkOpen();
        check(MpiLibrary.drumlin_mpi_barrier(comm), during("barrier"));
    }

    @Override
    public void allreduce(long[] values, Op op) throws IOException {
        checkOpen();
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.length, Long.BYTES))
                .order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(values);
        try (Payload payload = Payload.from(bytes)) {
            check(
                    MpiLibrary.drumlin_mpi_allreduce(comm, payload.address(), values.length, operation(op)),
                    during("allreduce " + op + " of " + values.length + " values"));
            payload.deliver(bytes.capacity());
        }
        bytes.asLongBuffer().get(values);
    }

    private static int operation(Op op) {
        return switch (op) {
            case SUM -> MpiLibrary.DRUMLIN_MPI_SUM();
            case MIN -> MpiLibrary.DRUMLIN_MPI_MIN();
            case MAX -> MpiLibrary.DRUMLIN_MPI_MAX();
        };
    }

    @Override
    public void bcast(ByteBuffer message, int root) throws IOException {
        checkOpen();
        Arguments.checkRank("root", root, size);
        if (rank == root) {
            try (Payload payload = Payload.from(message)) {
                bcast(payload, root);
            }
        } else {
            Arguments.checkWritable(message);
            try (Payload payload = Payload.into(message)) {
                bcast(payload, root);
                payload.deliver(payload.length());
            }
        }
    }

    private void bcast(Payload payload, int root) throws IOException {
        check(
                MpiLibrary.drumlin_mpi_bcast(comm, payload.address(), payload.length(), root),
                during("bcast from root " + root).range(-1, payload.length()));
    }

    @Override
    public void gather(ByteBuffer part, ByteBuffer all, int root) throws IOException {
        checkOpen();
        Arguments.checkRank("root", root, size);
        if (rank != root) {
            try (Payload from = Payload.from(part)) {
                gather(from, 0, root);
            }
            return;
        }
        Arguments.checkParts(part, all, size);
        try (Payload from = Payload.from(part);
                Payload into = Payload.into(all)) {
            gather(from, into.address(), root);
            into.deliver(into.length());
        }
    }

    private void gather(Payload part, long all, int root) throws IOException {
        check(
                MpiLibrary.drumlin_mpi_gather(comm, part.address(), part.length(), all, root),
                during("gather to root " + root).range(-1, part.length()));
    }

    @Override
    public void scatter(ByteBuffer all, ByteBuffer part, int root) throws IOException {
        checkOpen();
        Arguments.checkRank("root", root, size);
        if (rank != root) {
            Arguments.checkWritable(part);
            try (Payload into = Payload.into(part)) {
                scatter(0, into, root);
            }
            return;
        }
        Arguments.checkScatter(all, part, size);
        try (Payload from = Payload.from(all);
                Payload into = Payload.into(part)) {
            scatter(from.address(), into, root);
        }
    }

    private void scatter(long all, Payload part, int root) throws IOException {
        check(
                MpiLibrary.drumlin_mpi_scatter(comm, all, part.address(), part.length(), root),
                during("scatter from root " + root).range(-1, part.length()));
        part.deliver(part.length());
    }

    @Override
    public void allgather(ByteBuffer part, ByteBuffer all) throws IOException {
        checkOpen();
        Arguments.checkParts(part, all, size);
        try (Payload from = Payload.from(part);
                Payload into = Payload.into(all)) {
            check(
                    MpiLibrary.drumlin_mpi_allgather(comm, from.address(), from.length(), into.address()),
                    during("allgather").range(-1, from.length()));
            into.deliver(into.length());
        }
    }

    @Override
    public void send(ByteBuffer message, int destination, int tag) throws IOException {
        checkSend(destination, tag);
        try (Payload payload = Payload.from(message)) {
            int result = MpiLibrary.drumlin_mpi_send(comm, payload.address(), payload.length(), destination, tag);
            if (result < 0) {
                throw failure(duringSend(payload.length(), destination, tag), result);
            }
        }
    }

    @Override
    public int receive(ByteBuffer message, int source, int tag) throws IOException {
        checkReceive(message, source, tag);
        try (Payload payload = Payload.into(message)) {
            long received = MpiLibrary.drumlin_mpi_receive(comm, payload.address(), payload.length(), source, tag);
            if (received < 0) {
                throw failure(duringReceive(payload.length(), source, tag), received);
            }
            payload.deliver((int) received);
            return (int) received;
        }
    }

    @Override
    public boolean hasMessage(int source, int tag) throws IOException {
        checkOpen();
        Arguments.checkRank("source", source, size);
        Arguments.checkTagOrAny(tag);
        int found = MpiLibrary.drumlin_mpi_has_message(comm, source, tag);
        if (found < 0) {
            throw failure(during("looking for a message from rank " + source), found);
        }
        return found == 1;
    }

    @Override
    public Request startSend(ByteBuffer message, int destination, int tag) throws IOException {
        checkSend(destination, tag);
        Arguments.checkDirect(message);
        int length = message.remaining();
        // MPI reads this memory after the call, when it may have vanished.
        ByteBuffer memory = NativeMemory.isLasting(message) ? message : copy(message);
        long request = MpiLibrary.drumlin_mpi_start_send(comm, NativeMemory.address(memory), length, destination, tag);
        if (request < 0) {
            throw failure(duringSend(length, destination, tag), request);
        }
        return new Transfer(true, request, memory, null, destination, tag);
    }

    private static ByteBuffer copy(ByteBuffer message) {
        ByteBuffer copy = ByteBuffer.allocateDirect(message.remaining()).put(message.duplicate());
        MemoryFault.throwPending(message);
        return copy.flip();
    }

    @Override
    public Request startReceive(ByteBuffer message, int source, int tag) throws IOException {
        checkReceive(message, source, tag);
        Arguments.checkDirect(message);
        int length = message.remaining();
        boolean lasting = NativeMemory.isLasting(message);
        ByteBuffer memory = lasting ? message : ByteBuffer.allocateDirect(length);
        long request = MpiLibrary.drumlin_mpi_start_receive(comm, NativeMemory.address(memory), length, source, tag);
        if (request < 0) {
            throw failure(duringReceive(length, source, tag), request);
        }
        return new Transfer(false, request, memory, lasting ? null : message.duplicate(), source, tag);
    }

    private void checkSend(int destination, int tag) {
        checkOpen();
        Arguments.checkRank("destination", destination, size);
        Arguments.checkTag(tag);
    }

    private void checkReceive(ByteBuffer message, int source, int tag) {
        checkOpen();
        Arguments.checkRank("source", source, size);
        Arguments.checkTagOrAny(tag);
        Arguments.checkWritable(message);
    }

    private DrumlinException.Context duringSend(int length, int destination, int tag) {
        return during("send to rank " + destination + " with tag " + tag).range(-1, length);
    }

    private DrumlinException.Context duringReceive(int length, int source, int tag) {
        return during("receive of at most " + length + " bytes from rank " + source + " with "
                + (tag == ANY_TAG ? "any tag" : "tag " + tag));
    }

    @Override
    public NativeMpi dup() throws IOException {
        checkOpen();
        return new NativeMpi(check(MpiLibrary.drumlin_mpi_comm_dup(comm), during("dup")));
    }

    @Override
    public NativeMpi split(int color, int key) throws IOException {
        checkOpen();
        Arguments.checkColor(color);
        return new NativeMpi(
                check(MpiLibrary.drumlin_mpi_comm_split(comm, color, key), during("split with color " + color)));
    }

    @Override
    public NativeMpi subset(int[] ranks) throws IOException {
        checkOpen();
        Arguments.checkSubset(ranks, rank, size);
        ByteBuffer bytes = ByteBuffer.allocateDirect(Math.multiplyExact(ranks.length, Integer.BYTES))
                .order(ByteOrder.nativeOrder());
        bytes.asIntBuffer().put(ranks);
        try (Payload payload = Payload.from(bytes)) {
            return new NativeMpi(check(
                    MpiLibrary.drumlin_mpi_comm_subset(comm, payload.address(), ranks.length),
                    during("subset of " + ranks.length + " ranks")));
        }
    }

    @Override
    public OptionalLong nativeHandle() {
        return OptionalLong.of(comm);
    }

    /**
     * Ends all processes of the job with MPI_Abort. Shutdown hooks do not run. Does not return.
     *
     * @param code exit status
     */
    @Override
    public void abort(int code) {
        abortJob(code);
    }

    private static void abortJob(int code) {
        System.out.flush();
        System.err.flush();
        if (NativeMpiCore.unavailabilityCause() == null) {
            MpiLibrary.drumlin_mpi_abort(code);
        }
        // Before MPI's initialisation and after its end, there is no other process to end.
        Runtime.getRuntime().halt(code);
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (isAlive()) {
            check(MpiLibrary.drumlin_mpi_comm_free(comm), during("close"));
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the communicator is closed");
        }
    }

    /** Returns the result of a collective call if it is 0 or above; otherwise throws. */
    private static long check(long result, DrumlinException.Context failure) throws MeetingException {
        if (result >= 0) {
            return result;
        }
        throw new MeetingException(Results.describe(failure, result));
    }

    private DrumlinException.Context during(String operation) {
        return DrumlinException.during(operation).rank(rank);
    }

    /**
     * Transfers, one after the other. The object keeps the buffer of the current one from the garbage collector. The
     * description of the operation is only made after a failure, because there is a message for each piece of a
     * checkpoint.
     */
    private final class Transfer implements Request {

        /** {@code null} once the transfer was awaited. */
        private @Nullable ByteBuffer message;

        /** The buffer for a message that MPI could not deliver there itself. */
        private final @Nullable ByteBuffer target;

        private final long request;
        private final boolean sends;
        private final int length;
        private final int peer;
        private final int tag;

        Transfer(boolean sends, long request, ByteBuffer message, @Nullable ByteBuffer target, int peer, int tag) {
            this.message = message;
            this.target = target;
            this.request = request;
            this.sends = sends;
            length = message.remaining();
            this.peer = peer;
            this.tag = tag;
        }

        private ByteBuffer release() {
            ByteBuffer held = message;
            if (held == null) {
                throw new IllegalStateException("the request was awaited before");
            }
            message = null;
            return held;
        }

        @Override
        public void abandon() throws IOException {
            if (sends) {
                await();
                return;
            }
            ByteBuffer held = release();
            try {
                int result = MpiLibrary.drumlin_mpi_cancel_receive(request);
                if (result < 0) {
                    throw failure(duringReceive(length, peer, tag), result);
                }
            } finally {
                Reference.reachabilityFence(held);
            }
        }

        @Override
        public int await() throws IOException {
            ByteBuffer held = release();
            try {
                long result = MpiLibrary.drumlin_mpi_wait(request);
                if (result < 0) {
                    throw failure(sends ? duringSend(length, peer, tag) : duringReceive(length, peer, tag), result);
                }
                if (target != null) {
                    target.put(target.position(), held, 0, (int) result);
                    MemoryFault.throwPending(target);
                }
                return sends ? length : (int) result;
            } finally {
                Reference.reachabilityFence(held);
            }
        }
    }
}
