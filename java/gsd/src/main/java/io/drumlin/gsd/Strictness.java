package io.drumlin.gsd;

/** Determines which calls a file refuses. Calls that both levels allow write the same bytes. */
public enum Strictness {
    /**
     * No sequence of calls makes a file that cannot be opened or a chunk that cannot be found. A file refuses a name
     * that the frame already has and, in version 1.0, a name of more than 63 bytes. The index grows with the number of
     * the frame.
     */
    SAFE,
    /**
     * Behaves like the C library, including its defects, so that bytes can be compared. A name may be written twice in
     * a frame. Long names in files of version 1.0 are cut and listed again each time. A frame number that is not below
     * the number of index entries makes a file that no library opens. Frames may stay in memory for any time
     * unless {@link GsdFile#setMaximumAge} bounds it.
     */
    REFERENCE
}
