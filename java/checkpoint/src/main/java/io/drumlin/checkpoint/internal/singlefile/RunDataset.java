package io.drumlin.checkpoint.internal.singlefile;

import io.drumlin.checkpoint.DataType;
import io.drumlin.checkpoint.GlobalDataset;
import io.drumlin.checkpoint.internal.data.RunGroup;
import java.util.List;

/** A dataset that a run has declared. Not thread-safe. */
public final class RunDataset implements GlobalDataset {

    private static final int MOST_DIMENSIONS = 32;

    private final String name;
    private final RunGroup group;
    private final DataType type;
    private List<Long> dimensions;

    public RunDataset(String name, RunGroup group, DataType type, List<Long> dimensions) {
        RunGroup.requireName(name);
        this.name = name;
        this.group = group;
        this.type = type;
        this.dimensions = checked(dimensions);
    }

    /**
     * Returns the dataset as this class.
     *
     * @throws IllegalArgumentException the program has implemented the interface itself
     */
    public static RunDataset of(GlobalDataset dataset) {
        if (dataset instanceof RunDataset own) {
            return own;
        }
        throw new IllegalArgumentException("dataset " + dataset.path() + " is of no run");
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

    @Override
    public void resize(List<Long> given) {
        dimensions = checked(given);
    }

    @Override
    public List<Long> dimensions() {
        return dimensions;
    }

    @Override
    public String name() {
        return name;
    }

    public RunGroup group() {
        return group;
    }

    public DataType type() {
        return type;
    }

    @Override
    public String path() {
        return group.path() + "/" + name;
    }

    /** Returns the number of elements. */
    public long elements() {
        try {
            return dimensions.contains(0L) ? 0 : dimensions.stream().reduce(1L, Math::multiplyExact);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "global dataset " + path() + " has dimensions " + dimensions + ", which are too large", e);
        }
    }
}
