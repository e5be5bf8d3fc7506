package io.drumlin.checkpoint;

/**
 * What an element of protected data is to C FTI: one of its own types, or one that the program describes. Checkpoint files
 * hold the bytes of an element as they are in memory; only the mode HDF5 stores what is in it.
 */
public sealed interface DataType permits ElementType, OpaqueType, CompositeType {

    /**
     * The number that metadata give the type.
     *
     * @return 0 to 10 for C FTI's own types, -1 for those of the program
     */
    int id();

    /**
     * How large an element is.
     *
     * @return bytes, above 0
     */
    int size();
}
