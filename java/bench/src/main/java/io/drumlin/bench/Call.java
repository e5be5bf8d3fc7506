package io.drumlin.bench;

/**
 * A call of a communicator, and what it costs a rank among any number of ranks: with the binomial trees, recursive doubling and
 * dissemination of MPI libraries for short messages. Both what a rank sends and what it receives counts.
 *
 * @param operation what is called
 * @param ranks how many ranks call; {@link #ALL} for all of the job
 * @param bytes of this rank's part
 */
record Call(Operation operation, int ranks, long bytes) {

    /** The ranks of the job, however many they are. */
    static final int ALL = -1;

    /** Bytes of a color and a key, which all ranks of a communicator tell each other when it is split. */
    private static final int SEAT = 8;

    /** The calls; the root of all that have one is rank 0 or costs as much as it. */
    enum Operation {
        BARRIER,
        ALLREDUCE,
        EXSCAN,
        BCAST,
        GATHER,
        SCATTER,
        ALLGATHER,
        MESSAGE,
        DUP,
        SPLIT
    }

    /**
     * What a rank sends and receives.
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
     * The cost in a job of {@code jobRanks}.
     *
     * @param rank of the job
     */
    Traffic traffic(int jobRanks, int rank) {
        int count = ranks == ALL ? jobRanks : ranks;
        int self = rank % count;
        int rounds = Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
        return switch (operation) {
            case MESSAGE -> new Traffic(1, bytes);
            case BARRIER -> new Traffic(2L * rounds, 0);
            case ALLREDUCE, EXSCAN -> new Traffic(2L * rounds, 2L * rounds * bytes);
            // The number of the new communicator is agreed on.
            case DUP -> new Traffic(2L * rounds, 2L * rounds * Long.BYTES);
            case ALLGATHER -> new Traffic(2L * rounds, 2L * (count - 1) * bytes);
            case SPLIT -> new Traffic(2L * rounds, 2L * (count - 1) * SEAT);
            case BCAST -> {
                long links = children(self, count) + (self == 0 ? 0L : 1L);
                yield new Traffic(links, links * bytes);
            }
            case GATHER, SCATTER -> {
                long below = subtree(self, count) - 1;
                long up = self == 0 ? 0 : 1;
                yield new Traffic(children(self, count) + up, (below + up * (below + 1)) * bytes);
            }
        };
    }

    /** The rank of a job, but for the root, with most ranks below it in the tree. */
    static int innerRank(int jobRanks) {
        int highest = Integer.highestOneBit(jobRanks - 1);
        return subtree(highest, jobRanks) >= highest / 2 ? highest : highest / 2;
    }

    /** Ranks in the binomial tree of {@code count} from {@code self} downwards. */
    private static long subtree(int self, int count) {
        return self == 0 ? count : Math.min(Integer.lowestOneBit(self), count - self);
    }

    private static int children(int self, int count) {
        long below = subtree(self, count);
        return Long.SIZE - Long.numberOfLeadingZeros(below - 1);
    }
}
