package io.drumlin.gsd;

/** Which calls are refused. The bytes of all calls that both allow are the same. */
public enum Rules {
    /**
     * No sequence of calls makes a file that cannot be opened or a chunk that cannot be found. Refused are a name that the frame
     * has already and, in files of version 1.0, a name of more than 63 bytes. The index grows with the number of the frame.
     */
    SAFE,
    /**
     * What the C library does, its defects included: a name may be written twice in a frame, long names in 1.0 files are cut and listed
     * anew each time, and a frame number that is not below the number of index entries makes a file that is refused
     * when it is opened. For comparing bytes with it.
     */
    REFERENCE
}
