package io.drumlin.comm.internal;

import io.drumlin.DrumlinException;
import io.drumlin.comm.AgreedFailure;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes all ranks succeed or fail together.
 *
 * <p>A rank that fails alone must not leave the others waiting in a collective call. So each step that can fail on one
 * rank runs here. A failure is held back until all ranks have met, and then every rank throws.
 */
public final class Agreement {

    private static final int MESSAGE_BYTES = 1024;

    private Agreement() {}

    /** A step that can fail. */
    @FunctionalInterface
    public interface Step {
        /**
         * Carries out the step on this rank.
         *
         * @throws IOException the step failed
         */
        void run() throws IOException;
    }

    /**
     * A step that has a result.
     *
     * @param <T> type of the result
     */
    @FunctionalInterface
    public interface Call<T> {
        /**
         * Carries out the step on this rank.
         *
         * @return the result on this rank
         * @throws IOException the step failed
         */
        T call() throws IOException;
    }

    /**
     * Runs a step and meets the other ranks. Collective.
     *
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param step the work of this rank
     * @throws MeetingException this rank does not know what the others have agreed on
     * @throws IOException otherwise: on every rank if the step failed on any; a rank on which it failed throws its own
     *     failure
     */
    public static void run(Communicator comm, String operation, Step step) throws IOException {
        run(comm, operation, step, slowest -> {});
    }

    /**
     * Runs a step, meets the other ranks and says which of them took longest, without a further message; otherwise like
     * {@link #run(Communicator, String, Step)}. Collective.
     *
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param step the work of this rank
     * @param slowest receives the rank that took longest for the step, the same on every rank; not called after a
     *     failure
     * @throws IOException as {@link #run(Communicator, String, Step)}
     */
    public static void run(Communicator comm, String operation, Step step, Consumer<SlowestRank> slowest)
            throws IOException {
        long begin = System.nanoTime();
        IOException failure = attempt(comm, operation, step);
        agree(comm, operation, failure, new SlowestRank(comm.rank(), System.nanoTime() - begin), slowest);
    }

    /**
     * Runs a step that has a result and meets the other ranks. If another rank has failed, the result is lost, so it
     * must not need closing; {@link #open} is for those that do. Collective.
     *
     * @param <T> type of the result
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param step the work of this rank
     * @return the result of the step on this rank
     * @throws MeetingException this rank does not know what the others have agreed on
     * @throws IOException otherwise: on every rank if the step failed on any; a rank on which it failed throws its own
     *     failure
     */
    public static <T> T call(Communicator comm, String operation, Call<T> step) throws IOException {
        return call(comm, operation, step, slowest -> {});
    }

    /**
     * Runs a step that has a result, meets the other ranks and says which of them took longest, without a further
     * message; otherwise like {@link #call(Communicator, String, Call)}. Collective.
     *
     * @param <T> type of the result
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param step the work of this rank
     * @param slowest receives the rank that took longest for the step, the same on every rank; not called after a
     *     failure
     * @return the result of the step on this rank
     * @throws IOException as {@link #call(Communicator, String, Call)}
     */
    public static <T> T call(Communicator comm, String operation, Call<T> step, Consumer<SlowestRank> slowest)
            throws IOException {
        AtomicReference<T> result = new AtomicReference<>();
        run(comm, operation, () -> result.set(step.call()), slowest);
        return Objects.requireNonNull(result.get());
    }

    /**
     * Runs a step that opens something and meets the other ranks. If another rank has failed, it is closed. Collective.
     *
     * @param <T> type of what is opened
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param step the work of this rank
     * @return what the step has opened on this rank
     * @throws MeetingException this rank does not know what the others have agreed on
     * @throws IOException otherwise: on every rank if the step failed on any; a rank on which it failed throws its own
     *     failure
     */
    public static <T extends Closeable> T open(Communicator comm, String operation, Call<T> step) throws IOException {
        AtomicReference<@Nullable T> opened = new AtomicReference<>();
        try {
            return call(comm, operation, () -> {
                T result = step.call();
                opened.set(result);
                return result;
            });
        } catch (Throwable e) {
            closeAfter(e, opened.get());
            throw e;
        }
    }

    private static void closeAfter(Throwable failure, @Nullable Closeable opened) {
        if (opened != null) {
            try {
                opened.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }

    /**
     * Runs a step and holds its failure back. An error such as a lack of memory is caught too, and so is a checked
     * exception that no signature names (Kotlin and Scala throw them), because nothing may keep this rank from the next
     * collective call.
     *
     * @param comm the ranks that must agree
     * @param operation the operation
     * @param step the work of this rank
     * @return the failure, of whatever kind; {@code null} if there was none
     */
    public static @Nullable IOException attempt(Communicator comm, String operation, Step step) {
        try {
            step.run();
            return null;
        } catch (IOException e) {
            return e;
        } catch (OutOfMemoryError e) {
            return unexpected(comm, operation, e, "give each rank more memory (-Xmx, -XX:MaxDirectMemorySize)");
        } catch (Throwable e) {
            return unexpected(comm, operation, e, "this is an error of the program or of Drumlin, see the cause");
        }
    }

    private static DrumlinException unexpected(Communicator comm, String operation, Throwable cause, String advice) {
        return DrumlinException.during(operation)
                .rank(comm.rank())
                .cause(cause)
                .advice(advice)
                .exception();
    }

    /**
     * Meets the other ranks with the outcome of a step. Collective.
     *
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param failure the failure of this rank, or {@code null}
     * @throws MeetingException this rank does not know what the others have agreed on, here or in a step; or another
     *     rank has reported that about an earlier meeting
     * @throws IOException otherwise: on every rank if any has a failure; a rank with a failure throws its own
     */
    public static void agree(Communicator comm, String operation, @Nullable IOException failure) throws IOException {
        agree(comm, operation, failure, new SlowestRank(comm.rank(), 0), slowest -> {});
    }

    private static void agree(
            Communicator comm,
            String operation,
            @Nullable IOException failure,
            SlowestRank own,
            Consumer<SlowestRank> slowest)
            throws IOException {
        if (failure instanceof MeetingException) {
            // The others may still be in the call that failed here.
            throw failure;
        }
        long[] lowest = {failure == null ? comm.size() : comm.rank(), own.vote()};
        meet(comm, operation, lowest);
        int rank = (int) lowest[0];
        if (rank == comm.size()) {
            slowest.accept(SlowestRank.elected(lowest[1]));
            return;
        }
        if (rank < 0) {
            throw new MeetingException(DrumlinException.during(operation)
                    .problem("rank " + (rank + comm.size())
                            + " does not know what the ranks agreed on before, because a" + " message failed")
                    .advice("end the job and start it again"));
        }
        String message = message(comm, rank, failure);
        List<Integer> failed = failedRanks(comm, rank, failure != null);
        IOException thrown = failure != null ? failure : ofOthers(operation, failed, message);
        AgreedFailure.mark(thrown, failed, comm);
        throw thrown;
    }

    private static DrumlinException ofOthers(String operation, List<Integer> failed, String message) {
        List<Integer> more = failed.subList(1, failed.size());
        return DrumlinException.during(operation)
                .problem("rank " + failed.get(0) + " failed: " + message
                        + (more.isEmpty() ? "" : "; " + AgreedFailure.ranks(more) + " failed too"))
                .exception();
    }

    /**
     * Returns the ranks that failed, the same on every rank. If a message fails, only the first one is known; the
     * failure itself is agreed on already.
     */
    private static List<Integer> failedRanks(Communicator comm, int first, boolean failed) {
        ByteBuffer all = ByteBuffer.allocate(comm.size());
        try {
            comm.allgather(ByteBuffer.allocate(1).put(0, (byte) (failed ? 1 : 0)), all);
        } catch (IOException e) {
            return List.of(first);
        }
        List<Integer> ranks = new ArrayList<>();
        for (int rank = 0; rank < comm.size(); rank++) {
            if (all.get(rank) != 0) {
                ranks.add(rank);
            }
        }
        return ranks;
    }

    /**
     * Replaces the votes by the lowest ones, the same on every rank. All meetings have as many votes, because a rank
     * that tells about a failed meeting does not know in which one the others are.
     */
    private static void meet(Communicator comm, String operation, long[] votes) throws MeetingException {
        try {
            comm.allreduce(votes, Communicator.Op.MIN);
        } catch (IOException e) {
            throw MeetingException.of(operation, comm.rank(), e);
        }
    }

    /**
     * Tells the other ranks that this rank does not know the result of the meeting that failed here. They are in the
     * next meeting and get a {@link MeetingException} there. Call it only if this class makes the next meeting on this
     * communicator, whatever the others have agreed on.
     *
     * @param comm the ranks that must agree
     * @param operation the operation
     * @param failure the failed meeting; a failure of this call is added to it
     */
    public static void tellUnknown(Communicator comm, String operation, MeetingException failure) {
        try {
            meet(comm, operation, new long[] {comm.rank() - comm.size(), 0});
        } catch (MeetingException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Returns the message of the first rank that failed. The failure itself is agreed on already, even if the message
     * does not arrive.
     */
    private static String message(Communicator comm, int root, @Nullable IOException failure) {
        ByteBuffer text = ByteBuffer.allocate(MESSAGE_BYTES);
        if (comm.rank() == root && failure != null) {
            byte[] bytes = String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8);
            text.put(bytes, 0, Math.min(bytes.length, MESSAGE_BYTES)).clear();
        }
        try {
            comm.bcast(text, root);
        } catch (IOException e) {
            return "its words did not arrive: " + e.getMessage();
        }
        return new String(text.array(), StandardCharsets.UTF_8).replace("\0", "");
    }

    /**
     * Returns whether something holds on any rank. Collective.
     *
     * @param comm the ranks
     * @param here whether it holds on this rank
     * @return the same on every rank
     * @throws IOException a message has failed
     */
    public static boolean any(Communicator comm, boolean here) throws IOException {
        return max(comm, here ? 1 : 0) == 1;
    }

    /**
     * Returns whether something holds on all ranks. Collective.
     *
     * @param comm the ranks
     * @param here whether it holds on this rank
     * @return the same on every rank
     * @throws IOException a message has failed
     */
    public static boolean all(Communicator comm, boolean here) throws IOException {
        return !any(comm, !here);
    }

    /**
     * Returns the largest value of all ranks. Collective.
     *
     * @param comm the ranks
     * @param here the value of this rank
     * @return the same on every rank
     * @throws IOException a message has failed
     */
    public static long max(Communicator comm, long here) throws IOException {
        long[] values = {here};
        comm.allreduce(values, Op.MAX);
        return values[0];
    }

    /**
     * Gathers an ASCII text of each rank on rank 0, which needs memory for the longest times the number of ranks. Collective.
     *
     * @param comm the ranks
     * @param own the text of this rank
     * @return the texts by rank; none on other ranks, or if all are empty
     * @throws IOException a message has failed
     */
    public static List<String> gather(Communicator comm, String own) throws IOException {
        byte[] bytes = own.getBytes(StandardCharsets.US_ASCII);
        long[] longest = {bytes.length};
        comm.allreduce(longest, Op.MAX);
        int length = Math.toIntExact(longest[0]);
        List<String> texts = new ArrayList<>();
        if (length > 0) {
            ByteBuffer all = ByteBuffer.allocate(comm.rank() == 0 ? Math.multiplyExact(length, comm.size()) : 0);
            comm.gather(ByteBuffer.allocate(length).put(bytes).clear(), all, 0);
            for (int start = 0; start < all.capacity(); start += length) {
                texts.add(new String(all.array(), start, length, StandardCharsets.US_ASCII).replace("\0", ""));
            }
        }
        return texts;
    }

    /**
     * Returns a text that the first rank makes, on every rank. Collective.
     *
     * @param comm the ranks that must agree
     * @param operation the operation, for the message of ranks on which the step succeeded
     * @param step the work of rank 0; the others do nothing
     * @return the text of rank 0
     * @throws IOException on every rank if the step failed, or a message has
     */
    public static String ofFirst(Communicator comm, String operation, Call<String> step) throws IOException {
        return bcast(comm, call(comm, operation, () -> comm.rank() == 0 ? step.call() : ""), 0);
    }

    /**
     * Returns the root's text on every rank. Collective.
     *
     * @param comm the ranks
     * @param text on the root: the text; ignored elsewhere
     * @param root the rank that has the text
     * @return the root's text
     * @throws IOException the transfer failed
     */
    public static String bcast(Communicator comm, String text, int root) throws IOException {
        return new String(bcast(comm, text.getBytes(StandardCharsets.UTF_8), root), StandardCharsets.UTF_8);
    }

    /**
     * Returns the root's bytes on every rank. Collective.
     *
     * @param comm the ranks
     * @param bytes on the root: the bytes; ignored elsewhere
     * @param root the rank that has the bytes
     * @return the root's bytes
     * @throws IOException the transfer failed
     */
    public static byte[] bcast(Communicator comm, byte[] bytes, int root) throws IOException {
        long[] length = {comm.rank() == root ? bytes.length : 0};
        comm.allreduce(length, Communicator.Op.MAX);
        byte[] message = comm.rank() == root ? bytes : new byte[(int) length[0]];
        comm.bcast(ByteBuffer.wrap(message), root);
        return message;
    }
}
