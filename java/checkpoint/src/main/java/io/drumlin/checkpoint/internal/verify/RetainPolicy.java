package io.drumlin.checkpoint.internal.verify;

/** What is kept of a file after its verification. */
public enum RetainPolicy {

    /** Nothing; the file is only verified. */
    NOTHING,

    /** Block checksums for comparison with later reads, if the file has one digest for all its bytes. */
    BLOCK_SUMS,

    /**
     * The bytes in the named variables, if the file holds exactly these variables; otherwise like {@link #BLOCK_SUMS}.
     */
    IN_VARIABLES,

    /**
     * A copy of the file at the path set by {@link CheckpointReader#copyTo}, and of the copy what {@link #IN_VARIABLES}
     * keeps. Like {@link #BLOCK_SUMS} if no path is set or the file has parts without a digest.
     */
    COPIED
}
