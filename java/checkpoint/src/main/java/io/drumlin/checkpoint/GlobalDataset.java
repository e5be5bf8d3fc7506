package io.drumlin.checkpoint;

import java.util.List;

/**
 * A dataset of a shared HDF5 file, of which each rank has one or more parts: {@code FTI_DefineGlobalDataset}. All ranks
 * declare it alike, see {@link SingleFile#globalDataset}. Not thread-safe.
 */
public interface GlobalDataset {

    /**
     * Gives the dataset other dimensions: {@code FTI_UpdateGlobalDataset}. The program then declares its subsets again
     * to fit.
     *
     * @param given 1 to 32 numbers, each 0 or more
     * @throws IllegalArgumentException there are too few or too many dimensions, or one is negative
     */
    void resize(List<Long> given);

    /**
     * Returns the dimensions: {@code FTI_GetDatasetRank}, {@code FTI_GetDatasetSpan}.
     *
     * @return 1 to 32, the last varying fastest
     */
    List<Long> dimensions();

    /**
     * Returns the name of the dataset in its group.
     *
     * @return not empty, without slashes
     */
    String name();

    /**
     * Returns the names of the groups and of the dataset, each with a slash before it.
     *
     * @return for example {@code /group/name}
     */
    String path();
}
