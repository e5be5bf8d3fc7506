package io.drumlin.checkpoint;

/**
 * The type of an element of protected data in C FTI: one of its own types, or a type that the program describes.
 * Checkpoint files hold the bytes of an element as they are in memory; only the mode HDF5 stores the structure of the
 * element.
 */
public sealed interface DataType permits ElementType, OpaqueType, CompositeType {

    /**
     * Returns the number of the type in the metadata.
     *
     * @return 0 to 10 for C FTI's own types, -1 for those of the program
     */
    int id();

    /**
     * Returns the size of an element.
     *
     * @return bytes, above 0
     */
    int size();
}
