package io.drumlin.format.hdf5;

/** What can be in a group of a file that is to be written. */
public sealed interface NewObject permits NewGroup, NewDatatype, NewDataset {

    /**
     * Where its object header is.
     *
     * @return byte offset in the file; 0 before the file was placed
     */
    long header();
}
