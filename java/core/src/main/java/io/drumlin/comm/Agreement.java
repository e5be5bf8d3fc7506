package io.drumlin.comm;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
     * Runs a step and meets the other ranks. Collective.
     *
     * @param comm the ranks that must agree
     * @param operation what is being done, for the message of ranks on which it went well
     * @param step what to do on this rank
     * @throws IOException on every rank, if the step failed on any; on those that failed it is their own failure
     */
    public static void run(Communicator comm, String operation, Step step) throws IOException {
        agree(comm, operation, attempt(comm, operation, step));
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
     * @throws IOException on every rank, if any has a failure; on those it is their own
     */
    public static void agree(Communicator comm, String operation, @Nullable IOException failure) throws IOException {
        long[] firstFailed = {failure == null ? comm.size() : comm.rank()};
        comm.allreduce(firstFailed, Communicator.Op.MIN);
        int rank = (int) firstFailed[0];
        if (rank == comm.size()) {
            return;
        }
        String message = message(comm, rank, failure);
        if (failure != null) {
            throw failure;
        }
        throw DrumlinException.during(operation)
                .problem("rank " + rank + " failed: " + message)
                .exception();
    }

    private static String message(Communicator comm, int root, @Nullable IOException failure) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(MESSAGE_BYTES);
        if (comm.rank() == root && failure != null) {
            byte[] bytes = String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8);
            text.put(bytes, 0, Math.min(bytes.length, MESSAGE_BYTES)).clear();
        }
        comm.bcast(text, root);
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
