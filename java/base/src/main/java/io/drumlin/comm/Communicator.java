package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.comm.internal.Arguments;
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

    /** Tag of the messages of {@link #reduce}, and of {@link #allreduce} of doubles. */
    int REDUCE_TAG = 32766;

    /** In {@link #sendReceive}: there is no such neighbour, as at the edge of a grid. */
    int NOBODY = -1;

    /** The ways in which {@link #allreduce} and {@link #reduce} combine the values of the ranks. */
    enum Op {
        /** The sum. Integers wrap at the width of their type. */
        SUM,
        /** The smallest value, signed; of doubles as {@link Math#min}. */
        MIN,
        /** The largest value, signed; of doubles as {@link Math#max}. */
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
     * Replaces every element by its sum, minimum or maximum over all ranks; otherwise like {@link #allreduce(long[],
     * Op)}. Collective.
     *
     * @param values the same number of values on every rank
     * @param op the operation
     * @throws IOException the ranks could not meet
     */
    default void allreduce(int[] values, Op op) throws IOException {
        long[] wide = Reduction.wide(values);
        allreduce(wide, op);
        Reduction.narrow(wide, values);
    }

    /**
     * Replaces every element by its sum, minimum or maximum over all ranks. Collective.
     *
     * <p>The order in which values are added depends on nothing but the number of ranks, so the sum has the same bits in
     * every run, on every rank, and with every implementation: ranks 0 and 1, 2 and 3, and so on are added, then the
     * sums of ranks 0 and 1 and of 2 and 3, and so on. A value without a partner is added one step later.
     *
     * @param values the same number of values on every rank
     * @param op the operation
     * @throws IOException the ranks could not meet
     */
    default void allreduce(double[] values, Op op) throws IOException {
        Reduction.ofDoubles(this, values, op, 0);
        bcast(values, 0);
    }

    /**
     * Replaces every element at the root by its sum, minimum or maximum over all ranks, in the order of {@link
     * #allreduce(double[], Op)}. Elsewhere the values stay as they are. Collective.
     *
     * @param values the same number of values on every rank
     * @param op the operation
     * @param root the rank that gets the results
     * @throws IOException the transfer failed
     */
    default void reduce(double[] values, Op op, int root) throws IOException {
        Reduction.ofDoubles(this, values, op, root);
    }

    /**
     * Replaces every element at the root by its sum, minimum or maximum over all ranks. Elsewhere the values stay as they
     * are. Collective.
     *
     * @param values the same number of values on every rank
     * @param op the operation
     * @param root the rank that gets the results
     * @throws IOException the transfer failed
     */
    default void reduce(long[] values, Op op, int root) throws IOException {
        Reduction.ofLongs(this, values, op, root);
    }

    /**
     * Replaces every element at the root by its sum, minimum or maximum over all ranks; otherwise like {@link
     * #reduce(long[], Op, int)}. Collective.
     *
     * @param values the same number of values on every rank
     * @param op the operation
     * @param root the rank that gets the results
     * @throws IOException the transfer failed
     */
    default void reduce(int[] values, Op op, int root) throws IOException {
        long[] wide = Reduction.wide(values);
        reduce(wide, op, root);
        Reduction.narrow(wide, values);
    }

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
     * Copies the root's array to every rank. Collective.
     *
     * @param array an array of primitives, of the same type and length on every rank
     * @param root the rank that has the values
     * @throws IOException the transfer failed
     * @throws IllegalArgumentException it is no array of primitives, or has more than 2 GiB
     */
    default void bcast(Object array, int root) throws IOException {
        ByteBuffer bytes = ArrayBytes.of(array);
        bcast(bytes, root);
        if (rank() != root) {
            ArrayBytes.copy(bytes, array);
        }
    }

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
     * Collects arrays of equal length at the root, in rank order. Collective.
     *
     * @param <A> class of the arrays
     * @param part this rank's array of primitives, of the same type and length on every rank
     * @param all on the root: an array that is {@code size} times as long; ignored elsewhere
     * @param root the rank that collects
     * @throws IOException the transfer failed
     * @throws IllegalArgumentException it is no array of primitives, has another length, or more than 2 GiB
     */
    default <A> void gather(A part, A all, int root) throws IOException {
        ByteBuffer bytes = rank() == root ? ArrayBytes.of(all) : ByteBuffer.allocate(0);
        gather(ArrayBytes.of(part), bytes, root);
        if (rank() == root) {
            ArrayBytes.copy(bytes, all);
        }
    }

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
     * Distributes arrays of equal length, in rank order: the inverse of {@link #gather(Object, Object, int)}. Collective.
     *
     * @param <A> class of the arrays
     * @param all on the root: an array that is {@code size} times as long as {@code part}; ignored elsewhere
     * @param part receives this rank's values: an array of primitives, of the same type and length on every rank
     * @param root the rank that has the values
     * @throws IOException the transfer failed
     * @throws IllegalArgumentException it is no array of primitives, has another length, or more than 2 GiB
     */
    default <A> void scatter(A all, A part, int root) throws IOException {
        ByteBuffer bytes = ArrayBytes.of(part);
        scatter(rank() == root ? ArrayBytes.of(all) : ByteBuffer.allocate(0), bytes, root);
        ArrayBytes.copy(bytes, part);
    }

    /**
     * Collects equal-sized messages at every rank, in rank order. Collective.
     *
     * @param part this rank's bytes, the same number on every rank
     * @param all {@code size} times as many bytes
     * @throws IOException the transfer failed
     */
    void allgather(ByteBuffer part, ByteBuffer all) throws IOException;

    /**
     * Collects arrays of equal length at every rank, in rank order. Collective.
     *
     * @param <A> class of the arrays
     * @param part this rank's array of primitives, of the same type and length on every rank
     * @param all an array that is {@code size} times as long
     * @throws IOException the transfer failed
     * @throws IllegalArgumentException it is no array of primitives, has another length, or more than 2 GiB
     */
    default <A> void allgather(A part, A all) throws IOException {
        ByteBuffer bytes = ArrayBytes.of(all);
        allgather(ArrayBytes.of(part), bytes);
        ArrayBytes.copy(bytes, all);
    }

    /**
     * Collects arrays of any lengths at every rank, in rank order. Collective.
     *
     * @param <A> class of the arrays
     * @param part this rank's array of primitives, of the same type on every rank
     * @return all arrays, one after the other
     * @throws IOException the transfer failed, or all arrays together have more than 2 GiB
     * @throws IllegalArgumentException it is no array of primitives, or has more than 2 GiB
     */
    default <A> A allgatherv(A part) throws IOException {
        return ArrayBytes.allgatherv(this, part);
    }

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
     * Sends the values of an array; otherwise like {@link #send(ByteBuffer, int, int)}.
     *
     * @param array an array of primitives
     * @param destination rank
     * @param tag 0 to 32767
     * @throws IOException the transfer failed
     * @throws IllegalArgumentException it is no array of primitives, or has more than 2 GiB
     */
    default void send(Object array, int destination, int tag) throws IOException {
        send(ArrayBytes.of(array), destination, tag);
    }

    /**
     * Receives values into the first elements of an array; otherwise like {@link #receive(ByteBuffer, int, int)}.
     *
     * @param array an array of primitives
     * @param source rank
     * @param tag 0 to 32767, or {@link #ANY_TAG}
     * @return number of the values
     * @throws IOException the transfer failed, or the message is longer than the array or ends within a value, and is
     *     therefore lost
     * @throws IllegalArgumentException it is no array of primitives, or has more than 2 GiB
     */
    default int receive(Object array, int source, int tag) throws IOException {
        ByteBuffer bytes = ArrayBytes.of(array);
        return ArrayBytes.received(bytes, receive(bytes, source, tag), array, source);
    }

    /**
     * Sends one message and receives another, whatever the other ranks do first. So all ranks of a ring or a grid can
     * call it at the same time.
     *
     * @param sent the bytes to send
     * @param destination rank, or {@link #NOBODY} to send nothing
     * @param received receives at most its remaining bytes
     * @param source rank, or {@link #NOBODY} to receive nothing
     * @param tag 0 to 32767, of both messages
     * @return number of the received bytes
     * @throws IOException a transfer failed, or the message is longer than the buffer and therefore lost
     */
    default int sendReceive(ByteBuffer sent, int destination, ByteBuffer received, int source, int tag)
            throws IOException {
        return Exchange.of(this, sent, destination, received, source, tag);
    }

    /**
     * Sends the values of one array and receives values into the first elements of another; otherwise like {@link
     * #sendReceive(ByteBuffer, int, ByteBuffer, int, int)}.
     *
     * @param <A> class of the arrays
     * @param sent an array of primitives
     * @param destination rank, or {@link #NOBODY} to send nothing
     * @param received another array of primitives
     * @param source rank, or {@link #NOBODY} to receive nothing
     * @param tag 0 to 32767, of both messages
     * @return number of the received values
     * @throws IOException as {@link #receive(Object, int, int)}
     * @throws IllegalArgumentException it is no array of primitives, or has more than 2 GiB
     */
    default <A> int sendReceive(A sent, int destination, A received, int source, int tag) throws IOException {
        ByteBuffer bytes = ArrayBytes.of(received);
        int length = sendReceive(ArrayBytes.of(sent), destination, bytes, source, tag);
        return ArrayBytes.received(bytes, length, received, source);
    }

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
     * Makes a communicator of some of the ranks, in the given order. Every rank names the ranks of its own subset, and no
     * rank is in two subsets. Collective.
     *
     * <p>Take {@link #split} only where a rank does not know the other ranks of its part: MPI then tells every rank the
     * color and the key of every other rank.
     *
     * @param ranks different ranks, among them this one; the same on all ranks of the subset
     * @return a communicator, which the caller must close
     * @throws IOException the ranks could not meet
     * @throws IllegalArgumentException a number is not a rank or given twice, or this rank is missing
     */
    default Communicator subset(int[] ranks) throws IOException {
        int place = Arguments.checkSubset(ranks, rank(), size());
        Communicator subset = split(ranks[0], place);
        if (subset.size() != ranks.length || subset.rank() != place) {
            subset.close();
            throw new MeetingException(DrumlinException.during("subset of " + ranks.length + " ranks")
                    .rank(rank())
                    .problem("its ranks do not name the same ranks")
                    .advice("give the same array on all ranks of a subset"));
        }
        return subset;
    }

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
