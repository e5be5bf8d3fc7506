package io.drumlin.checkpoint;

/**
 * Says which elements a rank holds, in a distribution that the program defines, see {@link Distribution#of}. It is a
 * pure function of its arguments and the same on all ranks. It must work for any number of ranks, because a restart
 * calls it for the run that wrote the checkpoint and for the present run.
 */
public interface IndexFunction {

    /** The result of {@link #index} for a place that holds no element. */
    long NONE = -1;

    /**
     * Returns how many places a rank has in its array, including places that hold no element.
     *
     * @param rank 0 to {@code ranks} - 1
     * @param ranks number of ranks that share the elements
     * @return 0 or above
     */
    long places(int rank, int ranks);

    /**
     * Returns the element at a place. Each element is at one place of one rank.
     *
     * @param rank 0 to {@code ranks} - 1
     * @param ranks number of ranks that share the elements
     * @param place 0 to {@link #places} - 1
     * @return its number in the whole, from 0; or {@link #NONE} for a ghost cell or padding, which a restart leaves as
     *     it is
     */
    long index(int rank, int ranks, long place);
}
