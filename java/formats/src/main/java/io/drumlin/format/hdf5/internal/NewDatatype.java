package io.drumlin.format.hdf5.internal;

import io.drumlin.format.hdf5.Datatype;

/** A named (committed) datatype of a file to be written. Not thread-safe. */
public final class NewDatatype implements NewObject {

    private final Datatype type;
    long header;

    /** Number of datasets of this type. */
    int uses;

    /**
     * Makes a type that is in no group yet.
     *
     * @param type the type that it names
     */
    public NewDatatype(Datatype type) {
        this.type = type;
    }

    /**
     * Returns the type that it names.
     *
     * @return the type
     */
    public Datatype type() {
        return type;
    }

    @Override
    public long header() {
        return header;
    }
}
