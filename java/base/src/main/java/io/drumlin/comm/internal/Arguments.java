package io.drumlin.comm.internal;

import io.drumlin.comm.Communicator;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;

/**
 * The checks that every {@link Communicator} makes before it communicates. So a caller's mistake causes the same
 * exception everywhere and never reaches native code. Thread-safe.
 */
public final class Arguments {

    /** The largest tag that every MPI takes. */
    public static final int MAX_TAG = 32767;

    private Arguments() {}

    /**
     * Refuses a number that is not a rank.
     *
     * @param name the role of the rank: {@code "destination"}, {@code "root"}
     * @param rank the rank to check
     * @param size number of ranks of the communicator
     * @throws IllegalArgumentException the rank is not between 0 and {@code size} - 1
     */
    public static void checkRank(String name, int rank, int size) {
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException(
                    name + " " + rank + " is not a rank of this communicator: 0 to " + (size - 1) + " are");
        }
    }

    /**
     * Refuses a tag with which nothing can be sent.
     *
     * @param tag the tag to check
     * @throws IllegalArgumentException the tag is not between 0 and {@link #MAX_TAG}
     */
    public static void checkTag(int tag) {
        if (tag < 0 || tag > MAX_TAG) {
            throw new IllegalArgumentException("tag " + tag + " is not between 0 and " + MAX_TAG);
        }
    }

    /**
     * Refuses a tag with which nothing can be received.
     *
     * @param tag the tag to check
     * @throws IllegalArgumentException the tag is neither {@link Communicator#ANY_TAG} nor between 0 and
     *     {@link #MAX_TAG}
     */
    public static void checkTagOrAny(int tag) {
        if (tag != Communicator.ANY_TAG) {
            checkTag(tag);
        }
    }

    /**
     * Refuses a buffer that cannot be filled.
     *
     * @param target the buffer to fill
     * @throws ReadOnlyBufferException the buffer is read-only
     */
    public static void checkWritable(ByteBuffer target) {
        if (target.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
    }

    /**
     * Refuses a buffer whose memory the garbage collector may move during a transfer.
     *
     * @param message the buffer of a transfer that continues after the call
     * @throws IllegalArgumentException the buffer is a heap buffer
     */
    public static void checkDirect(ByteBuffer message) {
        if (!message.isDirect()) {
            throw new IllegalArgumentException(
                    "a transfer that goes on after the call needs a direct buffer, this is a heap buffer; use"
                            + " ByteBuffer.allocateDirect, or send and receive");
        }
    }

    /**
     * Refuses a buffer that does not hold exactly one part per rank.
     *
     * @param part one rank's bytes
     * @param all the buffer for the parts of all ranks
     * @param size number of ranks of the communicator
     * @throws IllegalArgumentException {@code all} has not {@code size} times the remaining bytes of {@code part}
     * @throws ReadOnlyBufferException {@code all} is read-only
     */
    public static void checkParts(ByteBuffer part, ByteBuffer all, int size) {
        checkSizes(part, all, size);
        checkWritable(all);
    }

    /**
     * Refuses a buffer that does not hold exactly one part per rank, for distribution.
     *
     * @param all the parts of all ranks
     * @param part the buffer for one rank's bytes
     * @param size number of ranks of the communicator
     * @throws IllegalArgumentException {@code all} has not {@code size} times the remaining bytes of {@code part}
     * @throws ReadOnlyBufferException {@code part} is read-only
     */
    public static void checkScatter(ByteBuffer all, ByteBuffer part, int size) {
        checkSizes(part, all, size);
        checkWritable(part);
    }

    private static void checkSizes(ByteBuffer part, ByteBuffer all, int size) {
        if (all.remaining() != (long) part.remaining() * size) {
            throw new IllegalArgumentException(
                    size + " ranks with " + part.remaining() + " bytes each need a buffer of "
                            + (long) part.remaining() * size + " bytes, this one has " + all.remaining());
        }
    }

    /**
     * Refuses a number that is not a color.
     *
     * @param color the color to check
     * @throws IllegalArgumentException the color is negative
     */
    public static void checkColor(int color) {
        if (color < 0) {
            throw new IllegalArgumentException("color " + color + " is negative");
        }
    }

    /**
     * Refuses ranks that are no subset with the caller in it.
     *
     * @param ranks the ranks to check
     * @param self the rank of the caller
     * @param size number of ranks of the communicator
     * @return the place of the caller among them
     * @throws IllegalArgumentException a number is not between 0 and {@code size} - 1 or given twice, or the caller's is
     *     missing
     */
    public static int checkSubset(int[] ranks, int self, int size) {
        int place = -1;
        for (int i = 0; i < ranks.length; i++) {
            checkRank("member", ranks[i], size);
            if (ranks[i] == self) {
                place = i;
            }
        }
        if (Arrays.stream(ranks).distinct().count() < ranks.length) {
            throw new IllegalArgumentException("a rank is given twice: " + Arrays.toString(ranks));
        }
        if (place < 0) {
            throw new IllegalArgumentException("rank " + self + " is not in its subset " + Arrays.toString(ranks));
        }
        return place;
    }
}
