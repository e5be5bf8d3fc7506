package io.drumlin.checkpoint;

/**
 * A type of which only the size of an element is known: {@code FTI_InitType}. Immutable.
 *
 * @param name name of the type in the mode HDF5, not empty
 * @param size bytes of an element, above 0
 */
public record OpaqueType(String name, int size) implements DataType {

    /**
     * Checks the size.
     *
     * @param name not empty
     * @param size bytes, above 0
     * @throws IllegalArgumentException the name is empty or the size not above 0
     */
    public OpaqueType {
        CompositeType.check(name, size);
    }

    @Override
    public int id() {
        return -1;
    }
}
