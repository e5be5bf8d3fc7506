package io.drumlin.format.hdf5;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;

/** Thrown if a file uses a part of HDF5 that this package does not read. It says nothing about damage. */
final class UnsupportedFeatureException extends FormatException {

    private static final long serialVersionUID = 1L;

    UnsupportedFeatureException(Finding finding) {
        super("HDF5", finding);
    }
}
