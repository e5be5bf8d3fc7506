package io.drumlin.format.hdf5;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.nio.file.Path;

/** Thrown if a file uses a part of HDF5 that is not read here. It says nothing about damage. */
public class UnsupportedFeatureException extends FormatException {

    private static final long serialVersionUID = 1L;

    /** Whether the library reads the part. */
    private final boolean ofLibrary;

    /**
     * Names a part that no checkpoint has.
     *
     * @param finding what the file has, and where
     */
    public UnsupportedFeatureException(Finding finding) {
        this(finding, false);
    }

    UnsupportedFeatureException(Finding finding, boolean ofLibrary) {
        super("HDF5", finding);
        this.ofLibrary = ofLibrary;
    }

    private UnsupportedFeatureException(UnsupportedFeatureException of, Path path) {
        super(of, path);
        this.ofLibrary = of.ofLibrary;
    }

    boolean isReadByLibrary() {
        return ofLibrary;
    }

    @Override
    public UnsupportedFeatureException in(Path path) {
        return new UnsupportedFeatureException(this, path);
    }
}
