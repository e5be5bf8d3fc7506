package io.drumlin.comm.internal;

/**
 * The rank that took longest for a step that all ranks carried out.
 *
 * @param rank number in the communicator of the step
 * @param nanos time that the rank took, without the time it waited for others
 */
public record SlowestRank(int rank, long nanos) {

    /** Bits of a vote that hold the rank; the others hold microseconds. */
    private static final int RANK_BITS = 24;

    private static final long MOST_MICROS = Long.MAX_VALUE >> RANK_BITS;

    /** Returns a number that is lower for a slower rank. */
    long vote() {
        long micros = Math.min(Math.max(nanos / 1000, 0), MOST_MICROS);
        return -((micros << RANK_BITS) | (rank & ((1 << RANK_BITS) - 1)));
    }

    /** Returns the rank with the lowest vote. */
    static SlowestRank elected(long vote) {
        return new SlowestRank((int) (-vote & ((1 << RANK_BITS) - 1)), (-vote >> RANK_BITS) * 1000);
    }

    /**
     * Returns the time of the rank.
     *
     * @return seconds, in steps of a microsecond
     */
    public double seconds() {
        return nanos / 1e9;
    }
}
