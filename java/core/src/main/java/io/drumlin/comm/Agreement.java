package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets all ranks succeed or fail together.
 *
 * <p>A rank that fails alone must not leave the others waiting in a collective call. So each step that can fail on one
 * rank is run here: its failure is held back until all ranks have met, and then every rank throws.
 */
public final class Agreement {

    private static final int MESSAGE_BYTES = 1024;

    private Agreement() {}

    /** A step that can fail. */
    @FunctionalInterface
    public interface Step {
        /**
         * Does what is to be done on this rank.
         *
         * @throws IOException it failed
         */
        void run() throws IOException;
    }

    /**
     * A step that has a result.
     *
     * @param <T> what it gives
     */
    @FunctionalInterface
    public interface Call<T> {
        /**
         * Does what is to be done on this rank.
         *
         * @return what it gives on this rank
         * @throws IOException it failed
         */
        T call() throws IOException;
    }

    /**
     * Runs a step and meets the other ranks. Collective.
     *
     * @param comm the ranks that must agree
     * @param operation what is being done, for the message of ranks on which it went well
     * @param step what to do on this rank
     * @throws MeetingException this rank does not know what the others have agreed on
     * @throws IOException otherwise: on every rank, because the step failed on any; on those that failed it is their own failure
     */
    public static void run(Communicator comm, String operation, Step step) throws IOException {
        agree(comm, operation, attempt(comm, operation, step));
    }

    /**
     * Runs a step and meets the other ranks, for a result that needs no closing: it is lost if another rank has failed. Collective.
     *
     * @param <T> what the step gives
     * @param comm the ranks that must agree
     * @param operation what is being done, for the message of ranks on which it went well
     * @param step what to do on this rank
     * @return what the step gave on this rank
     * @throws MeetingException this rank does not know what the others have agreed on
     * @throws IOException otherwise: on every rank, because the step failed on any; on those that failed it is their own failure
     */
    public static <T> T call(Communicator comm, String operation, Call<T> step) throws IOException {
        AtomicReference<T> result = new AtomicReference<>();
        run(comm, operation, () -> result.set(step.call()));
        return Objects.requireNonNull(result.get());
    }

    /**
     * Runs a step and holds its failure back.
     *
     * @param comm the ranks that must agree
     * @param operation what is being done
     * @param step what to do on this rank
     * @return what went wrong, whatever it was: also an error such as a lack of memory must not keep this rank from the
     *     next collective call; {@code null} if nothing did
     */
    public static @Nullable IOException attempt(Communicator comm, String operation, Step step) {
        try {
            step.run();
            return null;
        } catch (IOException e) {
            return e;
        } catch (OutOfMemoryError e) {
            return unexpected(comm, operation, e, "give each rank more memory (-Xmx, -XX:MaxDirectMemorySize)");
        } catch (RuntimeException | Error e) {
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
     * @param operation what is being done, for the message of ranks on which it went well
     * @param failure what went wrong on this rank, or {@code null}
     * @throws MeetingException this rank does not know what the others have agreed on, here or in a step, or another rank has
     *     said so of a meeting before
     * @throws IOException otherwise: on every rank, because any has a failure; on those it is their own
     */
    public static void agree(Communicator comm, String operation, @Nullable IOException failure) throws IOException {
        if (failure instanceof MeetingException) {
            // The others may still be where that meeting was.
            throw failure;
        }
        int rank = meet(comm, operation, failure == null ? comm.size() : comm.rank());
        if (rank == comm.size()) {
            return;
        }
        if (rank < 0) {
            throw new MeetingException(DrumlinException.during(operation)
                    .problem("rank " + (rank + comm.size())
                            + " does not know what the ranks agreed on before, because a" + " message failed")
                    .advice("end the job and start it again"));
        }
        String message = message(comm, rank, failure);
        if (failure != null) {
            throw failure;
        }
        throw DrumlinException.during(operation)
                .problem("rank " + rank + " failed: " + message)
                .exception();
    }

    /** The lowest vote, the same on every rank. */
    private static int meet(Communicator comm, String operation, int vote) throws MeetingException {
        long[] lowest = {vote};
        try {
            comm.allreduce(lowest, Communicator.Op.MIN);
        } catch (IOException e) {
            throw MeetingException.of(operation, comm.rank(), e);
        }
        return (int) lowest[0];
    }

    /**
     * Tells the others, who are in the meeting after the one that failed here, that this rank does not know what was agreed on: they
     * get a {@link MeetingException} there. Only where this next meeting is one of this class on this communicator, whatever the others
     * have agreed on.
     *
     * @param comm the ranks that must agree
     * @param operation what is being done
     * @param failure the meeting that failed; what fails now is added to it
     */
    public static void tellUnknown(Communicator comm, String operation, MeetingException failure) {
        try {
            meet(comm, operation, comm.rank() - comm.size());
        } catch (MeetingException e) {
            failure.addSuppressed(e);
        }
    }

    /** What the first rank to fail says. That it failed is agreed on, whether its words arrive or not. */
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
     * The root's text on every rank. Collective.
     *
     * @param comm the ranks
     * @param text on the root: the text; not looked at elsewhere
     * @param root the rank that has it
     * @return the root's text
     * @throws IOException the transfer failed
     */
    public static String bcast(Communicator comm, String text, int root) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long[] length = {comm.rank() == root ? bytes.length : 0};
        comm.allreduce(length, Communicator.Op.MAX);
        ByteBuffer message = ByteBuffer.allocate((int) length[0]);
        if (comm.rank() == root) {
            message.put(bytes).clear();
        }
        comm.bcast(message, root);
        return new String(message.array(), StandardCharsets.UTF_8);
    }
}
