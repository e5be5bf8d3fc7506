package io.drumlin.checkpoint;

/**
 * Says which elements a rank holds: a distribution of the program's own, see {@link Distribution#of}. A pure function of its arguments,
 * the same on all ranks, for any number of ranks: it is asked for the run that wrote a checkpoint and for the one that restarts.
 */
public interface IndexFunction {

    /** What {@link #index} gives for a place that holds no element. */
    long NONE = -1;

    /**
     * How many places a rank has in its array, those that hold no element included.
     *
     * @param rank 0 to {@code ranks} - 1
     * @param ranks how many share the elements
     * @return 0 or above
     */
    long places(int rank, int ranks);

    /**
     * The element at a place. Each element is at one place of one rank.
     *
     * @param rank 0 to {@code ranks} - 1
     * @param ranks how many share the elements
     * @param place 0 to {@link #places} - 1
     * @return its number in the whole, from 0; or {@link #NONE} for a ghost cell or padding, which a restart leaves as it is
     */
    long index(int rank, int ranks, long place);
}
