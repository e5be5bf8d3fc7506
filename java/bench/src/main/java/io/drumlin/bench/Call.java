package io.drumlin.bench;

import java.util.List;

/**
 * A call of a communicator, and the messages that Open MPI makes of it. The collective calls of Drumlin are MPI's non-blocking ones.
 * Open MPI's component {@code libnbc} takes those with short messages apart like this: {@code barrier} by dissemination;
 * {@code allreduce} up and down a binomial tree; {@code bcast} down such a tree, of up to 4 ranks from the root to each; {@code gather},
 * {@code scatter} and {@code allgather} with a message for each pair of ranks that exchange data. {@code exscan} is Drumlin's own. A
 * split gathers the seats of all ranks by recursive doubling. Both what a rank sends and what it receives counts.
 *
 * @param operation what is called
 * @param members the ranks of the communicator, in its order, as distances in the job from the calling rank; empty if all ranks of
 *     the job call
 * @param peer of a message: the distance to the other rank; of others: the root in the communicator, 0 without one
 * @param bytes of this rank's part
 */
record Call(Operation operation, List<Integer> members, int peer, long bytes) implements Step {

    /** Bytes of a color and a key, which all ranks of a communicator tell each other when it is split. */
    private static final int SEAT = 8;

    /** A broadcast among so few is no tree. */
    private static final int FLAT = 4;

    /** The calls. */
    enum Operation {
        BARRIER,
        ALLREDUCE,
        EXSCAN,
        BCAST,
        GATHER,
        SCATTER,
        ALLGATHER,
        SEND,
        RECEIVE,
        DUP,
        SPLIT
    }

    /**
     * The messages that a rank sends and receives.
     *
     * @param messages their number
     * @param bytes in them
     */
    record Traffic(long messages, long bytes) {

        static final Traffic NONE = new Traffic(0, 0);

        Traffic plus(Traffic other) {
            return new Traffic(messages + other.messages, bytes + other.bytes);
        }
    }

    /**
     * Returns the part of the call that ranks at the same place of their sectors have in common. Their distances from rank 0
     * differ.
     */
    Call kind() {
        return new Call(operation, members, Math.abs(peer) > Step.SECTOR ? 0 : peer, 0);
    }

    /** Ranks that call, in a job of {@code jobRanks}. */
    int count(int jobRanks) {
        return members.isEmpty() ? jobRanks : members.size();
    }

    /** Rounds in which {@code count} ranks are reached if those reached double. */
    static int rounds(int count) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
    }

    /**
     * The messages in a job of {@code jobRanks}.
     *
     * @param rank of the job
     */
    Traffic traffic(int jobRanks, int rank) {
        int count = count(jobRanks);
        int self = members.isEmpty() ? rank : members.indexOf(0);
        int seat = self == peer ? 0 : self == 0 ? peer : self;
        int rounds = rounds(count);
        long others = count - 1L;
        return switch (operation) {
            case SEND, RECEIVE -> new Traffic(1, bytes);
            case BARRIER -> new Traffic(2L * rounds, 0);
            case ALLREDUCE -> each(linksUp(seat, count) + linksDown(seat, count), bytes);
            case EXSCAN -> each(rounds(count - self) + rounds(self + 1), bytes);
            // The number of the new communicator is agreed on.
            case DUP -> each(linksUp(seat, count) + linksDown(seat, count), Long.BYTES);
            case ALLGATHER -> each(2L * others, bytes);
            case SPLIT -> new Traffic(2L * rounds, 2L * others * SEAT);
            case BCAST -> each(count > FLAT ? linksDown(seat, count) : seat == 0 ? others : 1, bytes);
            case GATHER, SCATTER -> each(self == peer ? others : 1, bytes);
        };
    }

    private static Traffic each(long messages, long bytes) {
        return new Traffic(messages, messages * bytes);
    }

    /** The rank of a job, but for the root, with most ranks below it in the tree. */
    static int innerRank(int jobRanks) {
        return Integer.highestOneBit(jobRanks - 1);
    }

    /** Links of the tree in which a rank sends to the one without its lowest bit. */
    private static int linksUp(int self, int count) {
        int reach = self == 0 ? count : Math.min(Integer.lowestOneBit(self), count - self);
        return rounds(reach) + (self == 0 ? 0 : 1);
    }

    /** Links of the tree in which a rank receives from the one without its highest bit. */
    private static int linksDown(int self, int count) {
        int links = self == 0 ? 0 : 1;
        for (int distance = self == 0 ? 1 : 2 * Integer.highestOneBit(self); self + distance < count; distance *= 2) {
            links++;
        }
        return links;
    }
}
