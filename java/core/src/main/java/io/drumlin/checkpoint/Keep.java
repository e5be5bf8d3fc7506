package io.drumlin.checkpoint;

/** What becomes of the bytes of a file that is verified. */
enum Keep {

    /** They are not needed. */
    NOTHING,

    /** They are kept in memory until they are recovered or sent, where there is memory for it. */
    IN_MEMORY,

    /**
     * They come into the variables that are known already, if the file holds just these; else they are kept in memory, unless that costs more
     * than to read them once more and compare them again.
     */
    IN_VARIABLES;

    static Keep inMemoryIf(boolean needed) {
        return needed ? IN_MEMORY : NOTHING;
    }
}
