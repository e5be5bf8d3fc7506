package io.drumlin.golden.base;

/** A manifest that is not as its README says. */
public final class ManifestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ManifestException(String message) {
        super(message);
    }
}
