package io.drumlin.comm;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Arguments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reductions with messages, in a binary tree over the ranks, so that the order depends on nothing but their number. Rank 0
 * is the top of the tree whatever the root is.
 */
final class Reduction {

    private Reduction() {}

    /** Combines two values. */
    @FunctionalInterface
    private interface Join<A> {
        void join(A own, A other, Op op);
    }

    static void ofDoubles(Communicator comm, double[] values, Op op, int root) throws IOException {
        of(comm, values, values.clone(), new double[values.length], op, root, Reduction::join);
    }

    static void ofLongs(Communicator comm, long[] values, Op op, int root) throws IOException {
        of(comm, values, values.clone(), new long[values.length], op, root, Reduction::join);
    }

    /**
     * @param values get the result at the root
     * @param own a copy of them
     * @param other memory for as many
     */
    private static <A> void of(Communicator comm, A values, A own, A other, Op op, int root, Join<A> join)
            throws IOException {
        Arguments.checkRank("root", root, comm.size());
        ByteBuffer bytes = ArrayBytes.of(other);
        if (comm.size() == 1) {
            // There is no message that would find a closed communicator.
            comm.barrier();
        }
        try {
            climb(comm, own, other, bytes, op, join);
            int rank = comm.rank();
            if (rank == 0 && root != 0) {
                comm.send(own, root, Communicator.REDUCE_TAG);
            } else if (rank == root && root != 0) {
                receive(comm, own, bytes, 0);
            }
            if (rank == root) {
                ArrayBytes.copy(ArrayBytes.of(own), values);
            }
        } catch (IOException e) {
            throw MeetingException.of("reduce", comm.rank(), e);
        }
    }

    private static <A> void climb(Communicator comm, A own, A other, ByteBuffer bytes, Op op, Join<A> join)
            throws IOException {
        int rank = comm.rank();
        for (int distance = 1; distance < comm.size(); distance *= 2) {
            if (rank % (2 * distance) != 0) {
                comm.send(own, rank - distance, Communicator.REDUCE_TAG);
                return;
            }
            if (rank + distance < comm.size()) {
                receive(comm, other, bytes, rank + distance);
                join.join(own, other, op);
            }
        }
    }

    private static void receive(Communicator comm, Object values, ByteBuffer bytes, int source) throws IOException {
        int length = comm.receive(bytes, source, Communicator.REDUCE_TAG);
        if (length != bytes.remaining()) {
            throw DrumlinException.during("reduce")
                    .rank(comm.rank())
                    .problem("rank " + source + " has values of " + length + " bytes, and this rank of "
                            + bytes.remaining())
                    .advice("all ranks must give as many values")
                    .exception();
        }
        ArrayBytes.copy(bytes, values);
    }

    private static void join(double[] own, double[] other, Op op) {
        for (int i = 0; i < own.length; i++) {
            own[i] = switch (op) {
                case SUM -> own[i] + other[i];
                case MIN -> Math.min(own[i], other[i]);
                case MAX -> Math.max(own[i], other[i]);
            };
        }
    }

    private static void join(long[] own, long[] other, Op op) {
        for (int i = 0; i < own.length; i++) {
            own[i] = switch (op) {
                case SUM -> own[i] + other[i];
                case MIN -> Math.min(own[i], other[i]);
                case MAX -> Math.max(own[i], other[i]);
            };
        }
    }

    static long[] wide(int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    static void narrow(long[] wide, int[] values) {
        Arrays.setAll(values, i -> (int) wide[i]);
    }
}
