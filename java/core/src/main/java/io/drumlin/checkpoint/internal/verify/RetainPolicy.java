package io.drumlin.checkpoint.internal.verify;

/** What is kept of a file that is verified. */
public enum RetainPolicy {

    /** Nothing: only whether it is whole is asked. */
    NOTHING,

    /** What a later read is compared with, where the file has one digest for all its bytes. */
    BLOCK_SUMS,

    /** Its bytes come into the variables that were named already, if the file holds just these; else as {@link #BLOCK_SUMS}. */
    IN_VARIABLES,

    /**
     * A copy of it is written to where {@link CheckpointReader#copyTo} said, and what {@link #IN_VARIABLES} keeps is kept of the copy; as
     * {@link #BLOCK_SUMS} where nothing was said, or the file has parts without a digest.
     */
    COPIED
}
