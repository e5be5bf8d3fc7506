package io.drumlin.comm.internal;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * Sends bytes to one rank and receives bytes from one at the same time, piece by piece. What fails on a rank apart from its
 * messages must not keep it from the next one, because others wait for it: its pieces go on with any content, and the caller
 * throws at the end.
 */
public final class PairExchange {

    private PairExchange() {}

    /** Reads or writes the bytes of a piece. */
    @FunctionalInterface
    public interface Step {
        /**
         * Fills a piece before it is sent, or uses one that was received.
         *
         * @param piece from position to limit, neither of which changes
         * @param offset where it begins in all bytes
         */
        void run(ByteBuffer piece, long offset);
    }

    /**
     * What a rank sends or receives.
     *
     * @param rank the other rank
     * @param size number of bytes, which both ranks know
     * @param space returns memory of a length for the next piece, outside the heap
     * @param step reads or writes
     */
    public record Side(int rank, long size, IntFunction<ByteBuffer> space, Step step) {

        /** Nothing is sent, or nothing received. */
        public static final Side NONE = new Side(-1, 0, ByteBuffer::allocateDirect, (piece, offset) -> {});

        private ByteBuffer piece(long offset, int most) {
            return space.apply((int) Math.min(most, size - offset));
        }
    }

    /**
     * Sends and receives.
     *
     * @param comm the ranks
     * @param tag tag of the messages
     * @param most bytes of a piece, the same on all ranks
     * @param outgoing what is sent
     * @param incoming what is received
     * @throws IOException the ranks cannot communicate
     */
    public static void run(Communicator comm, int tag, int most, Side outgoing, Side incoming) throws IOException {
        try (PendingMessages messages = new PendingMessages(comm, tag)) {
            for (long offset = 0; offset < Math.max(outgoing.size, incoming.size); offset += most) {
                ByteBuffer arriving = null;
                if (offset < incoming.size) {
                    arriving = incoming.piece(offset, most);
                    messages.startReceive(arriving, incoming.rank);
                }
                if (offset < outgoing.size) {
                    ByteBuffer leaving = outgoing.piece(offset, most);
                    outgoing.step.run(leaving, offset);
                    messages.startSend(leaving, outgoing.rank);
                }
                messages.await();
                if (arriving != null) {
                    incoming.step.run(arriving, offset);
                }
            }
        }
    }
}
