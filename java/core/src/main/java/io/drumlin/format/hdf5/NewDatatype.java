package io.drumlin.format.hdf5;

/** A named (committed) datatype of a file that is to be written. Not thread-safe. */
public final class NewDatatype implements NewObject {

    private final Datatype type;
    long header;

    /** Datasets that are of this type. */
    int uses;

    /**
     * A type that is in no group yet.
     *
     * @param type what it describes
     */
    public NewDatatype(Datatype type) {
        this.type = type;
    }

    /**
     * What it describes.
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
