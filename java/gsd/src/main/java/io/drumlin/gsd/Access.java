package io.drumlin.gsd;

/** The purpose for which an existing file is opened. */
public enum Access {
    /** For reading. */
    READ,
    /** For adding frames. Reading is allowed too, because the C library treats this like {@link #READ_WRITE}. */
    APPEND,
    /** For reading and adding frames. */
    READ_WRITE;

    boolean writes() {
        return this != READ;
    }
}
