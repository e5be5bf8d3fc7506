package io.drumlin.checkpoint;

import java.util.List;

/**
 * A dataset of a shared HDF5 file, of which each rank has a part or some: {@code FTI_DefineGlobalDataset}. Declared alike on all
 * ranks, see {@link SingleFile#globalDataset}. Not thread-safe.
 */
public interface GlobalDataset {

    /**
     * Gives the dataset other dimensions: {@code FTI_UpdateGlobalDataset}. Its subsets must be declared again to fit.
     *
     * @param given 1 to 32 numbers, each 0 or more
     * @throws IllegalArgumentException these are no dimensions
     */
    void resize(List<Long> given);

    /**
     * The dimensions: {@code FTI_GetDatasetRank}, {@code FTI_GetDatasetSpan}.
     *
     * @return 1 to 32, the last varying fastest
     */
    List<Long> dimensions();

    /**
     * The name in its group.
     *
     * @return not empty, without slashes
     */
    String name();

    /**
     * The names of the groups and its own, each with a slash before it.
     *
     * @return as {@code /group/name}
     */
    String path();
}
