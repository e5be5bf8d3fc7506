package io.drumlin.format.hdf5.internal;

/** An object that can be in a group of a file to be written. */
public sealed interface NewObject permits NewGroup, NewDatatype, NewDataset {

    /**
     * Returns the location of its object header.
     *
     * @return byte offset in the file; 0 before the file was placed
     */
    long header();
}
