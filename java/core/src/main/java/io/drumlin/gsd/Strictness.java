package io.drumlin.gsd;

/** Which calls a file refuses. Calls that both allow write the same bytes. */
public enum Strictness {
    /**
     * No sequence of calls makes a file that cannot be opened or a chunk that cannot be found. A file refuses a name that
     * the frame has already and, in version 1.0, a name of more than 63 bytes. The index grows with the number of the frame.
     */
    SAFE,
    /**
     * Does what the C library does, its defects included, for comparing bytes with it: a name may be written twice in a
     * frame, long names in files of version 1.0 are cut and listed anew each time, and a frame number that is not below the
     * number of index entries makes a file that no library opens.
     */
    REFERENCE
}
