package io.drumlin.storage;

/** How a {@link BlockFile} is opened. */
public enum OpenMode {
    /** Reads are allowed. */
    READ,
    /** Writes are allowed. */
    WRITE,
    /** The file is created when it is missing. */
    CREATE,
    /** With {@link #CREATE}: the file must be missing. */
    EXCLUSIVE,
    /** An existing file is cut to length 0. */
    TRUNCATE,
    /**
     * The page cache is passed by (O_DIRECT). Where the file system refuses, the file is opened buffered and
     * {@link BlockFile#direct()} says so.
     */
    DIRECT
}
