package io.drumlin.golden.fti;

import java.nio.ByteBuffer;

/** The type of a variable, and the values that the golden programs give to its elements. */
interface ValueType {

    /** The type's id in metadata. */
    int id();

    /** Bytes of an element. */
    int size();

    /**
     * The bytes of a variable.
     *
     * @param rank application rank
     * @param id id of the variable
     * @param generation what the program filled it with
     */
    ByteBuffer values(int rank, int id, int generation, long count);
}
