package io.drumlin.comm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The ranks of one job, or a part of them, and the messages between them.
 *
 * <p>The terms are MPI's. Calls marked <em>collective</em> must be made by every rank of the communicator, in the same
 * order. Buffers may be heap or direct; from position to limit they bound the message, and a call leaves both unchanged.
 * Message sizes are limited by a buffer's 2 GiB. Unless an implementation says otherwise, one thread per rank calls.
 *
 * <p>A collective call that fails throws a {@link MeetingException}: what the other ranks know is not known then.
 *
 * <p>A caller's mistake is refused before anything is sent, with an {@link IllegalArgumentException} (a rank, tag, color
 * or buffer that cannot be), a {@link java.nio.ReadOnlyBufferException} or, after closing, an
 * {@link IllegalStateException}; {@link Arguments} holds the checks.
 *
 * <p>Closing frees the communicator (collective). Messages that were sent must have been received by then.
 */
public interface Communicator extends AutoCloseable {

    /** Accepts a message of any tag. */
    int ANY_TAG = -1;

    /** Tag of the messages of {@link #exscan}. */
    int EXSCAN_TAG = 32767;

    /** How {@link #allreduce} joins the values of the ranks. */
    enum Op {
        /** Sum, wrapping at 64 bits. */
        SUM,
        /** Smallest, signed. */
        MIN,
        /** Largest, signed. */
        MAX
    }

    /** A transfer under way. */
    @FunctionalInterface
    interface Request {
        /**
         * Waits until the buffer may be used again and, for a receive, is filled. To be called once for each start.
         *
         * @return bytes of the message
         * @throws IOException the transfer failed
         */
        int await() throws IOException;

        /**
         * Gives the transfer up, where something else has failed and its buffer is to be freed; instead of {@link #await}. A receive
         * takes no message that comes later; one that it has taken is lost. A send is waited for: it cannot be taken back.
         *
         * @throws IOException the transfer failed
         */
        default void abandon() throws IOException {
            await();
        }
    }

    /**
     * This process's or thread's number.
     *
     * @return 0 to {@link #size()} - 1
     */
    int rank();

    /**
     * How many ranks there are.
     *
     * @return 1 or more
     */
    int size();

    /**
     * Returns when all ranks have called it. Collective.
     *
     * @throws IOException the ranks could not meet
     */
    void barrier() throws IOException;

    /**
     * Replaces every element by its sum, minimum or maximum over all ranks. Collective.
     *
     * @param values equally many on every rank
     * @param op how to join
     * @throws IOException the ranks could not meet
     */
    void allreduce(long[] values, Op op) throws IOException;

    /**
     * The sum of the values of all lower ranks, wrapping at 64 bits. Takes as many rounds of messages as the number of ranks has binary digits, and
     * no memory that grows with it. Collective.
     *
     * @param value of this rank
     * @return 0 on rank 0
     * @throws IOException the transfer failed
     */
    default long exscan(long value) throws IOException {
        try {
            return SumOfLowerRanks.of(this, value);
        } catch (IOException e) {
            throw MeetingException.of("exscan", rank(), e);
        }
    }

    /**
     * Copies the root's message to every rank. Collective.
     *
     * @param message equally many bytes on every rank
     * @param root the rank that has the bytes
     * @throws IOException the transfer failed
     */
    void bcast(ByteBuffer message, int root) throws IOException;

    /**
     * Collects equal-sized messages at the root, in rank order. Collective.
     *
     * @param part this rank's bytes, equally many on every rank
     * @param all on the root: {@code size} times as many bytes; not looked at elsewhere
     * @param root the rank that collects
     * @throws IOException the transfer failed
     */
    void gather(ByteBuffer part, ByteBuffer all, int root) throws IOException;

    /**
     * Hands out equal-sized messages, in rank order: what {@link #gather} collected. Collective.
     *
     * @param all on the root: {@code size} times as many bytes as {@code part}; not looked at elsewhere
     * @param part where this rank's bytes go, equally many on every rank
     * @param root the rank that has the messages
     * @throws IOException the transfer failed
     */
    void scatter(ByteBuffer all, ByteBuffer part, int root) throws IOException;

    /**
     * Collects equal-sized messages at every rank, in rank order. Collective.
     *
     * @param part this rank's bytes, equally many on every rank
     * @param all {@code size} times as many bytes
     * @throws IOException the transfer failed
     */
    void allgather(ByteBuffer part, ByteBuffer all) throws IOException;

    /**
     * Sends a message; may return before it was received.
     *
     * @param message the bytes
     * @param destination rank
     * @param tag 0 to 32767
     * @throws IOException the transfer failed
     */
    void send(ByteBuffer message, int destination, int tag) throws IOException;

    /**
     * Receives a message of at most the remaining bytes of {@code message}. Messages of one sender with one tag arrive in
     * the order they were sent.
     *
     * @param message where the bytes go
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return bytes of the message
     * @throws IOException the transfer failed, or the message is longer than the buffer and therefore lost
     */
    int receive(ByteBuffer message, int source, int tag) throws IOException;

    /**
     * Whether {@link #receive} with this source and tag would find a message. Does not wait: a message that was sent may be seen
     * by a later call only, so who has something else to do meanwhile asks again.
     *
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return false also where a receive that was started takes the message
     * @throws IOException the source cannot be reached, as far as that can be seen
     */
    boolean hasMessage(int source, int tag) throws IOException;

    /**
     * Starts sending; the bytes must stay untouched until the request was awaited.
     *
     * @param message the bytes, in a direct buffer
     * @param destination rank
     * @param tag 0 to 32767
     * @return the transfer
     * @throws IOException the transfer could not be started
     */
    Request startSend(ByteBuffer message, int destination, int tag) throws IOException;

    /**
     * As {@link #startSend(ByteBuffer, int, int)}, for who starts one message after the other and wants no garbage for each: an
     * implementation may take the object of a transfer that is over for the new one.
     *
     * @param message as there
     * @param destination as there
     * @param tag as there
     * @param done a send or receive of any communicator that the caller has awaited, whatever came of it, and that nobody awaits any
     *     more; {@code null} if there is none
     * @return the transfer, maybe {@code done}
     * @throws IOException the transfer could not be started; {@code done} can be given once more
     */
    default Request startSend(ByteBuffer message, int destination, int tag, @Nullable Request done) throws IOException {
        return startSend(message, destination, tag);
    }

    /**
     * Starts receiving; the buffer must stay untouched until the request was awaited. For messages whose length is
     * known: a longer one is an error, but Open MPI 4.1 may write beyond the buffer before it says so, and cuts off small ones without
     * saying so.
     *
     * @param message where the bytes go, a direct buffer
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return the transfer
     * @throws IOException the transfer could not be started
     */
    Request startReceive(ByteBuffer message, int source, int tag) throws IOException;

    /**
     * As {@link #startReceive(ByteBuffer, int, int)}, for who starts one message after the other and wants no garbage for each: an
     * implementation may take the object of a transfer that is over for the new one.
     *
     * @param message as there
     * @param source as there
     * @param tag as there
     * @param done a send or receive of any communicator that the caller has awaited, whatever came of it, and that nobody awaits any
     *     more; {@code null} if there is none
     * @return the transfer, maybe {@code done}
     * @throws IOException the transfer could not be started; {@code done} can be given once more
     */
    default Request startReceive(ByteBuffer message, int source, int tag, @Nullable Request done) throws IOException {
        return startReceive(message, source, tag);
    }

    /**
     * Makes a communicator of the same ranks whose messages do not mix with this one's. Collective.
     *
     * @return a communicator to be closed by the caller
     * @throws IOException the ranks could not meet
     */
    Communicator dup() throws IOException;

    /**
     * Makes a communicator of the ranks that give the same color, ordered by key, then by rank here. Collective.
     *
     * @param color 0 or above
     * @param key order
     * @return a communicator to be closed by the caller
     * @throws IOException the ranks could not meet
     */
    Communicator split(int color, int key) throws IOException;

    /**
     * Whether several threads of this rank may call at the same time, each with communicators of its own.
     *
     * @return false where MPI does not provide MPI_THREAD_MULTIPLE
     */
    default boolean threadMultiple() {
        return true;
    }

    /**
     * The {@code MPI_Comm} behind it, widened to 64 bits, for native code that is linked to the same MPI.
     *
     * @return empty where no MPI carries the messages
     */
    OptionalLong nativeHandle();

    /**
     * Ends all ranks of the job, now. Never returns: where MPI carries the messages the processes end with the exit
     * status, elsewhere this rank gets the exception and the others get one at their next call.
     *
     * @param code exit status
     * @throws JobAbortedException the job is not one of processes
     */
    void abort(int code);

    /**
     * Frees the communicator; a second call does nothing. Collective.
     *
     * @throws IOException freeing failed
     */
    @Override
    void close() throws IOException;
}
