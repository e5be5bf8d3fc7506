package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.DatasetGroup;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The place and the shape of a variable in the files of the mode HDF5.
 *
 * @param name name of the dataset; by default it is derived from the variable's id
 * @param dimensions at most 32, whose product is the number of elements of the variable; empty for one dimension
 * @param group group of the dataset
 */
public record DatasetDefinition(Optional<String> name, List<Long> dimensions, RunGroup group) {

    private static final int MOST_DIMENSIONS = 32;

    public DatasetDefinition {
        dimensions = List.copyOf(dimensions);
    }

    /** Returns the default definition. */
    public static DatasetDefinition in(RunGroup root) {
        return new DatasetDefinition(Optional.empty(), List.of(), root);
    }

    public String name(int id) {
        return name.orElse("Dataset_" + id);
    }

    public String path(int id) {
        return group.path() + "/" + name(id);
    }

    public DatasetDefinition named(String given) {
        RunGroup.requireName(given);
        return new DatasetDefinition(Optional.of(given), dimensions, group);
    }

    public DatasetDefinition within(DatasetGroup named) {
        RunGroup given = RunGroup.of(named);
        if (given.root() != group.root()) {
            throw new IllegalArgumentException("group " + given.path() + " is of another run");
        }
        return new DatasetDefinition(name, dimensions, given);
    }

    /**
     * Returns this definition in a copy of the groups as they are now.
     *
     * @param copies the copies made so far; new ones are added
     */
    DatasetDefinition frozen(Map<RunGroup, RunGroup> copies) {
        if (!copies.containsKey(group)) {
            group.root().frozen(copies, null);
        }
        return new DatasetDefinition(name, dimensions, copies.getOrDefault(group, group));
    }

    /** Returns this definition with a shape for {@code count} elements. */
    public DatasetDefinition shaped(List<Long> given, long count) {
        if (given.size() > MOST_DIMENSIONS || given.stream().anyMatch(each -> each < 0) || product(given) != count) {
            throw new IllegalArgumentException("dimensions " + given + " are not at most " + MOST_DIMENSIONS
                    + " whose product is " + count + ", the number of elements");
        }
        return new DatasetDefinition(name, given, group);
    }

    /**
     * Returns the shape of a variable of {@code count} elements: the one that the program gave, if that is still their
     * number; else the variable's own; else one dimension.
     *
     * @param own the dimensions of an array of arrays; empty for other variables
     */
    public List<Long> dimensions(List<Long> own, long count) {
        if (!dimensions.isEmpty() && product(dimensions) == count) {
            return dimensions;
        }
        return own.isEmpty() ? List.of(count) : own;
    }

    /** Returns the product of the dimensions; -1 if it does not fit into 63 bits. */
    static long product(List<Long> dimensions) {
        try {
            return dimensions.stream().reduce(1L, Math::multiplyExact);
        } catch (ArithmeticException e) {
            return -1;
        }
    }
}
