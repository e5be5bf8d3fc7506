package io.drumlin.checkpoint;

import java.util.List;

/**
 * A dataset of a shared HDF5 file, of which each rank has a part or some: {@code FTI_DefineGlobalDataset}. Declared alike on all
 * ranks, see {@link SingleFile#globalDataset}. Not thread-safe.
 */
public final class GlobalDataset {

    private static final int MOST_DIMENSIONS = 32;

    private final String name;
    private final DatasetGroup group;
    private final DataType type;
    private List<Long> dimensions;

    GlobalDataset(String name, DatasetGroup group, DataType type, List<Long> dimensions) {
        DatasetGroup.requireName(name);
        this.name = name;
        this.group = group;
        this.type = type;
        this.dimensions = checked(dimensions);
    }

    private static List<Long> checked(List<Long> dimensions) {
        if (dimensions.isEmpty()
                || dimensions.size() > MOST_DIMENSIONS
                || dimensions.stream().anyMatch(each -> each < 0)) {
            throw new IllegalArgumentException(
                    "dimensions " + dimensions + " are not 1 to " + MOST_DIMENSIONS + " numbers of 0 or more");
        }
        return List.copyOf(dimensions);
    }

    /**
     * Gives the dataset other dimensions: {@code FTI_UpdateGlobalDataset}. Its subsets must be declared again to fit.
     *
     * @param given 1 to 32 numbers, each 0 or more
     * @throws IllegalArgumentException these are no dimensions
     */
    public void resize(List<Long> given) {
        dimensions = checked(given);
    }

    /**
     * The dimensions: {@code FTI_GetDatasetRank}, {@code FTI_GetDatasetSpan}.
     *
     * @return 1 to 32, the last varying fastest
     */
    public List<Long> dimensions() {
        return dimensions;
    }

    String name() {
        return name;
    }

    DatasetGroup group() {
        return group;
    }

    DataType type() {
        return type;
    }

    /** The names from the root on, each with a slash before it. */
    String path() {
        return group.path() + "/" + name;
    }

    /** How many elements there are. */
    long elements() {
        try {
            return dimensions.contains(0L) ? 0 : dimensions.stream().reduce(1L, Math::multiplyExact);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "global dataset " + path() + " has dimensions " + dimensions + ", which are too large", e);
        }
    }
}
