package io.drumlin.comm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * The ranks of one job, or a part of them, and the messages between them.
 *
 * <p>The terms are MPI's. Every rank of the communicator must make the calls marked <em>collective</em>, in the same
 * order. Buffers may be heap or direct. Their position and limit bound the message, and a call changes neither.
 * Messages are limited to a buffer's 2 GiB. Unless an implementation says otherwise, only one thread per rank may make
 * calls.
 *
 * <p>A collective call that fails throws a {@link MeetingException}. Then this rank does not know what the other ranks
 * know.
 *
 * <p>A caller's mistake is refused before anything is sent. It causes an {@link IllegalArgumentException} (an invalid
 * rank, tag, color or buffer), a {@link java.nio.ReadOnlyBufferException} or, after closing, an
 * {@link IllegalStateException}. {@link Arguments} holds the checks.
 *
 * <p>Closing frees the communicator (collective). All messages that were sent must have been received by then.
 */
public interface Communicator extends AutoCloseable {

    /** Accepts a message of any tag. */
    int ANY_TAG = -1;

    /** Tag of the messages of {@link #exscan}. */
    int EXSCAN_TAG = 32767;

    /** The ways in which {@link #allreduce} combines the values of the ranks. */
    enum Op {
        /** The sum, wrapping at 64 bits. */
        SUM,
        /** The smallest value, signed. */
        MIN,
        /** The largest value, signed. */
        MAX
    }

    /** A transfer under way. */
    @FunctionalInterface
    interface Request {
        /**
         * Waits until the buffer may be used again and, for a receive, is filled. Must be called once for each
         * transfer, unless {@link #abandon} is.
         *
         * @return number of bytes of the message
         * @throws IOException the transfer failed
         */
        int await() throws IOException;

        /**
         * Abandons the transfer, after another failure, so that its buffer can be freed; replaces {@link #await}. A
         * receive then accepts no later message. A message that it has already accepted is lost. A send cannot be taken
         * back, so this call waits for it.
         *
         * @throws IOException the transfer failed
         */
        default void abandon() throws IOException {
            await();
        }
    }

    /**
     * Returns the number of this process or thread.
     *
     * @return 0 to {@link #size()} - 1
     */
    int rank();

    /**
     * Returns the number of ranks.
     *
     * @return 1 or more
     */
    int size();

    /**
     * Waits until all ranks have called it. Collective.
     *
     * @throws IOException the ranks could not meet
     */
    void barrier() throws IOException;

    /**
     * Replaces every element by its sum, minimum or maximum over all ranks. Collective.
     *
     * @param values the same number of values on every rank
     * @param op the operation
     * @throws IOException the ranks could not meet
     */
    void allreduce(long[] values, Op op) throws IOException;

    /**
     * Returns the sum of the values of all lower ranks, wrapping at 64 bits. The number of message rounds is the number
     * of binary digits of the number of ranks. The memory does not grow with the number of ranks. Collective.
     *
     * @param value the value of this rank
     * @return the sum; 0 on rank 0
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
     * @param message the same number of bytes on every rank
     * @param root the rank that has the bytes
     * @throws IOException the transfer failed
     */
    void bcast(ByteBuffer message, int root) throws IOException;

    /**
     * Collects equal-sized messages at the root, in rank order. Collective.
     *
     * @param part this rank's bytes, the same number on every rank
     * @param all on the root: {@code size} times as many bytes; ignored elsewhere
     * @param root the rank that collects
     * @throws IOException the transfer failed
     */
    void gather(ByteBuffer part, ByteBuffer all, int root) throws IOException;

    /**
     * Distributes equal-sized messages, in rank order: the inverse of {@link #gather}. Collective.
     *
     * @param all on the root: {@code size} times as many bytes as {@code part}; ignored elsewhere
     * @param part receives this rank's bytes, the same number on every rank
     * @param root the rank that has the messages
     * @throws IOException the transfer failed
     */
    void scatter(ByteBuffer all, ByteBuffer part, int root) throws IOException;

    /**
     * Collects equal-sized messages at every rank, in rank order. Collective.
     *
     * @param part this rank's bytes, the same number on every rank
     * @param all {@code size} times as many bytes
     * @throws IOException the transfer failed
     */
    void allgather(ByteBuffer part, ByteBuffer all) throws IOException;

    /**
     * Sends a message; may return before it is received.
     *
     * @param message the bytes
     * @param destination rank
     * @param tag 0 to 32767
     * @throws IOException the transfer failed
     */
    void send(ByteBuffer message, int destination, int tag) throws IOException;

    /**
     * Receives a message of at most the remaining bytes of {@code message}. Messages of one sender with one tag arrive
     * in the order in which they were sent.
     *
     * @param message receives the bytes
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return number of bytes of the message
     * @throws IOException the transfer failed, or the message is longer than the buffer and therefore lost
     */
    int receive(ByteBuffer message, int source, int tag) throws IOException;

    /**
     * Returns whether {@link #receive} with this source and tag would find a message. Does not wait. A message that was
     * sent may only show in a later call, so a caller with other work to do should ask again.
     *
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return false also if a receive that was started takes the message
     * @throws IOException the source cannot be reached, as far as that can be detected
     */
    boolean hasMessage(int source, int tag) throws IOException;

    /**
     * Starts sending; the bytes must stay unchanged until the request has been awaited.
     *
     * @param message the bytes, in a direct buffer
     * @param destination rank
     * @param tag 0 to 32767
     * @return the transfer
     * @throws IOException the transfer could not be started
     */
    Request startSend(ByteBuffer message, int destination, int tag) throws IOException;

    /**
     * Starts receiving; the buffer must not be used until the request has been awaited. This call is for messages of
     * known length. A longer message is an error, but Open MPI 4.1 may write beyond the buffer before it reports the
     * error, and truncates small messages without an error.
     *
     * @param message a direct buffer, which receives the bytes
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return the transfer
     * @throws IOException the transfer could not be started
     */
    Request startReceive(ByteBuffer message, int source, int tag) throws IOException;

    /**
     * Makes a communicator of the same ranks whose messages do not mix with this one's. Collective.
     *
     * @return a communicator, which the caller must close
     * @throws IOException the ranks could not meet
     */
    Communicator dup() throws IOException;

    /**
     * Makes a communicator of the ranks that give the same color, ordered by key, then by rank here. Collective.
     *
     * @param color 0 or above
     * @param key order
     * @return a communicator, which the caller must close
     * @throws IOException the ranks could not meet
     */
    Communicator split(int color, int key) throws IOException;

    /**
     * Returns whether several threads of this rank may make calls at the same time, each with its own communicators.
     *
     * @return false if MPI does not provide MPI_THREAD_MULTIPLE
     */
    default boolean threadMultiple() {
        return true;
    }

    /**
     * Returns the {@code MPI_Comm} of this communicator, widened to 64 bits, for native code that is linked to the same
     * MPI.
     *
     * @return empty if no MPI carries the messages
     */
    OptionalLong nativeHandle();

    /**
     * Ends all ranks of the job immediately. Never returns. If MPI carries the messages, the processes end with the
     * exit status. Otherwise this rank gets the exception, and the others get one at their next call.
     *
     * @param code exit status
     * @throws JobAbortedException the ranks of the job are not processes
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
