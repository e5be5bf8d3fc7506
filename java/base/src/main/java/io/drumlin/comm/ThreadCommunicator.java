package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.Arguments;
import io.drumlin.internal.MemoryFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Ranks as threads of one JVM, for tests, laptops and programs without MPI. Messages are copied when they are sent, so
 * a send never waits. Several threads of a rank may use the rank's communicators at the same time, as long as only one
 * of them is in a collective call of a given communicator.
 *
 * <p>A program that would wait forever gets an exception if that can be detected. A rank gets one if it needs another
 * rank that has already returned, and so do ranks that meet in different collective calls.
 */
public final class ThreadCommunicator implements Communicator {

    /**
     * The work of one rank, with a result.
     *
     * @param <T> type of the result
     * @param <X> exception that it may throw
     */
    @FunctionalInterface
    public interface Call<T extends @Nullable Object, X extends Exception> {
        /**
         * Does the work of one rank.
         *
         * @param world the communicator of all ranks; it need not be closed
         * @return the result that {@link ThreadCommunicator#call} returns for this rank
         * @throws X the rank failed
         */
        T call(Communicator world) throws X;
    }

    /** A started send of more bytes ends only when it is received, as with MPI. */
    private static final int EAGER_BYTES = 64 << 10;

    private final Context context;
    private final int rank;
    private boolean closed;

    private ThreadCommunicator(Context context, int rank) {
        this.context = context;
        this.rank = rank;
    }

    /**
     * Runs {@code body} once per rank, each in a thread named {@code drumlin-rank-N}, and returns when all have
     * returned.
     *
     * @param <X> exception that the body may throw
     * @param size number of ranks, 1 or more
     * @param body the work of a rank
     * @throws X the exception of the first rank that failed; those that other ranks threw by themselves are suppressed
     *     in it
     */
    public static <X extends Exception> void run(int size, RankBody<X> body) throws X {
        ThreadCommunicator.<Integer, X>call(size, world -> {
            body.run(world);
            return world.rank();
        });
    }

    /**
     * Runs {@code body} once per rank, each in a thread named {@code drumlin-rank-N}, and returns when all have
     * returned.
     *
     * <p>If a rank throws or aborts, ranks that are in a communicator call, or make one later, get an exception that
     * names it. If the calling thread is interrupted, so are the ranks.
     *
     * @param <T> type of the result of a rank
     * @param <X> exception that the body may throw
     * @param size number of ranks, 1 or more
     * @param body the work of a rank
     * @return the results, in rank order
     * @throws X the exception of the first rank that failed; those that other ranks threw by themselves are suppressed
     *     in it
     */
    public static <T extends @Nullable Object, X extends Exception> List<T> call(int size, Call<T, X> body) throws X {
        if (size < 1) {
            throw new IllegalArgumentException("a job has 1 rank or more, not " + size);
        }
        ThreadJob job = new ThreadJob(size);
        Context world = new Context(job, IntStream.range(0, size).toArray());
        List<@Nullable T> results = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            int self = rank;
            results.add(null);
            threads.add(new Thread(
                    () -> {
                        try {
                            T result = body.call(new ThreadCommunicator(world, self));
                            synchronized (job) {
                                results.set(self, result);
                            }
                            job.rankReturned(self);
                        } catch (Throwable thrown) {
                            job.rankFailed(self, thrown);
                        }
                    },
                    "drumlin-rank-" + rank));
        }
        startAndJoin(job, threads);
        rethrow(job.failure());
        return results;
    }

    private static void startAndJoin(ThreadJob job, List<Thread> threads) {
        List<Thread> started = new ArrayList<>();
        try {
            for (Thread thread : threads) {
                thread.start();
                started.add(thread);
            }
        } catch (Throwable noMoreThreads) {
            job.rankFailed(started.size(), noMoreThreads);
        }
        boolean interrupted = false;
        for (Thread thread : started) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    started.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Exception> void rethrow(@Nullable Throwable failure) throws X {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (X) failure; // A body throws only X or unchecked exceptions.
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return context.members.length;
    }

    @Override
    public void barrier() throws IOException {
        meet("barrier", rank, ranks -> ranks);
    }

    @Override
    public void allreduce(long[] values, Op op) throws IOException {
        String operation = "allreduce " + op + " of " + values.length + " values";
        long[] joined = meet(operation, values.clone(), all -> joined(all, op));
        System.arraycopy(joined, 0, values, 0, values.length);
    }

    private static long[] joined(List<long[]> all, Op op) {
        long[] joined = all.get(0).clone();
        for (long[] other : all.subList(1, all.size())) {
            for (int i = 0; i < joined.length; i++) {
                joined[i] = switch (op) {
                    case SUM -> joined[i] + other[i];
                    case MIN -> Math.min(joined[i], other[i]);
                    case MAX -> Math.max(joined[i], other[i]);
                };
            }
        }
        return joined;
    }

    @Override
    public void bcast(ByteBuffer message, int root) throws IOException {
        Arguments.checkRank("root", root, size());
        if (rank != root) {
            Arguments.checkWritable(message);
        }
        String operation = "bcast of " + message.remaining() + " bytes from root " + root;
        byte[] bytes = meet(operation, rank == root ? Mailbox.copy(message) : new byte[0], all -> all.get(root));
        if (rank != root) {
            message.put(message.position(), bytes);
            MemoryFault.throwPending(message);
        }
    }

    @Override
    public void gather(ByteBuffer part, ByteBuffer all, int root) throws IOException {
        Arguments.checkRank("root", root, size());
        if (rank == root) {
            Arguments.checkParts(part, all, size());
        }
        String operation = "gather of " + part.remaining() + " bytes per rank to root " + root;
        List<byte[]> parts = meet(operation, Mailbox.copy(part), everyone -> everyone);
        if (rank == root) {
            concatenate(parts, all);
        }
    }

    @Override
    public void scatter(ByteBuffer all, ByteBuffer part, int root) throws IOException {
        Arguments.checkRank("root", root, size());
        if (rank == root) {
            Arguments.checkScatter(all, part, size());
        } else {
            Arguments.checkWritable(part);
        }
        String operation = "scatter of " + part.remaining() + " bytes per rank from root " + root;
        byte[] bytes = meet(operation, rank == root ? Mailbox.copy(all) : new byte[0], parts -> parts.get(root));
        part.put(part.position(), bytes, rank * part.remaining(), part.remaining());
        MemoryFault.throwPending(part);
    }

    @Override
    public void allgather(ByteBuffer part, ByteBuffer all) throws IOException {
        Arguments.checkParts(part, all, size());
        String operation = "allgather of " + part.remaining() + " bytes per rank";
        concatenate(meet(operation, Mailbox.copy(part), everyone -> everyone), all);
    }

    private static void concatenate(List<byte[]> parts, ByteBuffer all) {
        ByteBuffer target = all.duplicate();
        parts.forEach(target::put);
        MemoryFault.throwPending(all);
    }

    @Override
    public void send(ByteBuffer message, int destination, int tag) throws IOException {
        deliver(message, destination, tag);
    }

    private Mailbox.Message deliver(ByteBuffer message, int destination, int tag) throws IOException {
        Arguments.checkRank("destination", destination, size());
        Arguments.checkTag(tag);
        byte[] bytes = Mailbox.copy(message);
        ThreadJob job = context.job;
        synchronized (job) {
            checkUsable("send");
            Mailbox.Message sent = context.mailboxes.get(destination).deliver(rank, tag, bytes);
            job.notifyAll();
            return sent;
        }
    }

    @Override
    public int receive(ByteBuffer message, int source, int tag) throws IOException {
        return post(message, source, tag).await();
    }

    @Override
    public boolean hasMessage(int source, int tag) throws IOException {
        Arguments.checkRank("source", source, size());
        Arguments.checkTagOrAny(tag);
        String operation = "looking for a message from rank " + source;
        int sender = context.members[source];
        ThreadJob job = context.job;
        synchronized (job) {
            checkUsable(operation);
            boolean found = context.mailboxes.get(rank).holds(source, tag);
            if (!found) {
                job.checkPresent(operation, rank, () -> IntStream.of(sender));
            }
            return found;
        }
    }

    @Override
    public Request startSend(ByteBuffer message, int destination, int tag) throws IOException {
        Arguments.checkDirect(message);
        Mailbox.Message sent = deliver(message, destination, tag);
        int length = message.remaining();
        return () -> {
            // As with MPI, a rank that only sends must not fill the memory with messages that others have not yet
            // received.
            if (length > EAGER_BYTES) {
                awaitMatch(sent, destination);
            }
            return length;
        };
    }

    private void awaitMatch(Mailbox.Message sent, int destination) throws IOException {
        ThreadJob job = context.job;
        synchronized (job) {
            int receiver = context.members[destination];
            job.await("send to rank " + destination, rank, sent::matched, () -> IntStream.of(receiver));
        }
    }

    @Override
    public Request startReceive(ByteBuffer message, int source, int tag) throws IOException {
        Arguments.checkDirect(message);
        return post(message, source, tag);
    }

    private Request post(ByteBuffer message, int source, int tag) throws IOException {
        Arguments.checkRank("source", source, size());
        Arguments.checkTagOrAny(tag);
        Arguments.checkWritable(message);
        ByteBuffer target = message.duplicate();
        synchronized (context.job) {
            checkUsable("receive");
            Mailbox.Receive receive = context.mailboxes.get(rank).post(source, tag);
            if (receive.bytes() != null) {
                context.job.notifyAll();
            }
            return new PostedReceive(target, receive, source);
        }
    }

    private final class PostedReceive implements Request {
        private final ByteBuffer target;
        private final Mailbox.Receive receive;
        private final int source;

        PostedReceive(ByteBuffer target, Mailbox.Receive receive, int source) {
            this.target = target;
            this.receive = receive;
            this.source = source;
        }

        @Override
        public int await() throws IOException {
            return Mailbox.fill(target, awaitBytes(receive, source), source, rank);
        }

        @Override
        public void abandon() {
            synchronized (context.job) {
                context.mailboxes.get(rank).cancel(receive);
            }
        }
    }

    private byte[] awaitBytes(Mailbox.Receive receive, int source) throws IOException {
        String operation = "receive from rank " + source;
        int sender = context.members[source];
        ThreadJob job = context.job;
        synchronized (job) {
            job.await(operation, rank, () -> receive.bytes() != null, () -> IntStream.of(sender));
            byte[] bytes = receive.bytes();
            if (bytes == null) {
                throw new AssertionError("the wait ended before the message came");
            }
            return bytes;
        }
    }

    @Override
    public Communicator dup() throws IOException {
        Context copy = meet("dup", rank, all -> new Context(context.job, context.members));
        return new ThreadCommunicator(copy, rank);
    }

    private record Seat(int color, int key, int rank) {}

    @Override
    public Communicator split(int color, int key) throws IOException {
        Arguments.checkColor(color);
        List<ThreadCommunicator> all = meet("split", new Seat(color, key, rank), this::splitInto);
        return all.get(rank);
    }

    /** Returns the communicators of all ranks after a split, in the order of their ranks in this one. */
    private List<ThreadCommunicator> splitInto(List<Seat> seats) {
        TreeMap<Integer, List<Seat>> byColor = new TreeMap<>();
        seats.stream()
                .sorted(Comparator.comparingInt(Seat::key).thenComparingInt(Seat::rank))
                .forEach(seat -> byColor.computeIfAbsent(seat.color, color -> new ArrayList<>())
                        .add(seat));
        TreeMap<Integer, ThreadCommunicator> byRank = new TreeMap<>();
        for (List<Seat> group : byColor.values()) {
            Context part = new Context(
                    context.job,
                    group.stream().mapToInt(seat -> context.members[seat.rank]).toArray());
            for (int i = 0; i < group.size(); i++) {
                byRank.put(group.get(i).rank, new ThreadCommunicator(part, i));
            }
        }
        return List.copyOf(byRank.values());
    }

    @Override
    public OptionalLong nativeHandle() {
        return OptionalLong.empty();
    }

    /**
     * Throws {@link JobAbortedException} in this rank; the others get an exception at their next communicator call.
     *
     * @param code exit status
     */
    @Override
    public void abort(int code) {
        int self = context.members[rank];
        JobAbortedException aborted = new JobAbortedException(self, code);
        context.job.rankFailed(self, aborted);
        throw aborted;
    }

    /** Makes this rank's calls fail. Does not wait for the other ranks. */
    @Override
    public void close() {
        synchronized (context.job) {
            closed = true;
        }
    }

    private void checkUsable(String operation) throws IOException {
        if (closed) {
            throw new IllegalStateException("the communicator is closed");
        }
        context.job.checkAlive(operation, rank);
    }

    /**
     * The one collective operation on which all others are built. Every rank contributes a value, the last one to come
     * joins all values, and all ranks get the same result.
     */
    private <C, R> R meet(String operation, C contribution, Function<List<C>, R> join) throws IOException {
        ThreadJob job = context.job;
        synchronized (job) {
            checkUsable(operation);
            Meeting meeting = context.meeting;
            meeting.enter(rank, operation, contribution);
            if (meeting.isComplete()) {
                context.meeting = new Meeting(size());
                meeting.result = meeting.sameOperation() ? join.apply(meeting.contributions()) : null;
                meeting.over = true;
                job.notifyAll();
            }
            await(meeting, operation);
            if (meeting.result == null) {
                throw new MeetingException(DrumlinException.during(operation)
                        .rank(rank)
                        .problem("the ranks are in different collective calls: " + meeting.operations()));
            }
            @SuppressWarnings("unchecked") // All ranks are in the same operation.
            R result = (R) meeting.result;
            return result;
        }
    }

    /**
     * An interrupted rank has entered. It can neither leave the others' meeting nor come to another one, so it has
     * failed.
     */
    private void await(Meeting meeting, String operation) throws MeetingException {
        ThreadJob job = context.job;
        try {
            job.await(
                    operation, rank, () -> meeting.over, () -> meeting.missing().map(r -> context.members[r]));
        } catch (MeetingException e) {
            if (e.getCause() instanceof InterruptedException) {
                job.rankFailed(context.members[rank], e);
            }
            throw e;
        }
    }

    /** The state that the ranks of one communicator share. Guarded by the job's monitor. */
    private static final class Context {
        private final ThreadJob job;
        /** Ranks in the job, indexed by rank in this communicator. */
        private final int[] members;

        private final List<Mailbox> mailboxes = new ArrayList<>();
        private Meeting meeting;

        private Context(ThreadJob job, int[] members) {
            this.job = job;
            this.members = members;
            this.meeting = new Meeting(members.length);
            for (int i = 0; i < members.length; i++) {
                mailboxes.add(new Mailbox());
            }
        }
    }

    /** One collective call of all ranks. Guarded by the job's monitor. */
    private static final class Meeting {
        private final @Nullable String[] operations;
        private final @Nullable Object[] contributions;
        private @Nullable Object result;
        private int present;
        private boolean over;

        private Meeting(int size) {
            operations = new String[size];
            contributions = new Object[size];
        }

        private void enter(int rank, String operation, Object contribution) {
            if (operations[rank] != null) {
                throw new IllegalStateException("two threads of rank " + rank + " are in collective calls of one"
                        + " communicator: " + operations[rank] + " and " + operation);
            }
            operations[rank] = operation;
            contributions[rank] = contribution;
            present++;
        }

        private IntStream missing() {
            return IntStream.range(0, operations.length).filter(rank -> operations[rank] == null);
        }

        private boolean isComplete() {
            return present == contributions.length;
        }

        private boolean sameOperation() {
            return Arrays.stream(operations).allMatch(other -> Objects.equals(other, operations[0]));
        }

        private String operations() {
            return IntStream.range(0, operations.length)
                    .mapToObj(rank -> "rank " + rank + " in " + operations[rank])
                    .collect(Collectors.joining(", "));
        }

        @SuppressWarnings("unchecked") // All ranks are in the same operation.
        private <C> List<C> contributions() {
            return (List<C>) List.of(contributions);
        }
    }
}
