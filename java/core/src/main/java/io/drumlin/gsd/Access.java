package io.drumlin.gsd;

/** What an existing file is opened for. */
public enum Access {
    /** Reading. */
    READ,
    /** Adding frames. Reading is allowed too: the C library makes no difference to {@link #READ_WRITE}. */
    APPEND,
    /** Reading and adding frames. */
    READ_WRITE;

    boolean writes() {
        return this != READ;
    }
}
