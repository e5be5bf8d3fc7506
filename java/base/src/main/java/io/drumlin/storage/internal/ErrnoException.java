package io.drumlin.storage.internal;

import java.io.IOException;

/** A failed call of the C library, before the caller adds the name of the file. */
public final class ErrnoException extends IOException {

    private static final long serialVersionUID = 1L;

    /** The errno. */
    private final int number;

    public ErrnoException(String call, int number) {
        super(call + ": errno " + number);
        this.number = number;
    }

    public int number() {
        return number;
    }
}
