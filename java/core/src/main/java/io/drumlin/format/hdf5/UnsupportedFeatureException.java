package io.drumlin.format.hdf5;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.nio.file.Path;

/** Thrown if a file uses a part of HDF5 that is not read here. It says nothing about damage. */
public class UnsupportedFeatureException extends FormatException {

    private static final long serialVersionUID = 1L;

    /**
     * Names the part.
     *
     * @param finding what the file has, and where
     */
    public UnsupportedFeatureException(Finding finding) {
        super("HDF5", finding);
    }

    private UnsupportedFeatureException(FormatException of, Path path) {
        super(of, path);
    }

    @Override
    public UnsupportedFeatureException in(Path path) {
        return new UnsupportedFeatureException(this, path);
    }
}
