package io.drumlin.checkpoint;

/** From what a rank gets its data of a checkpoint back (docs/formats/fti-run-directory.md, section 5). */
public enum DataSource {
    /** Its own file. */
    OWN_FILE,
    /** Level 2: the copy that its right neighbour keeps. */
    PARTNER_COPY,
    /** Level 3: files of its group, through the Reed-Solomon code. */
    REED_SOLOMON,
    /** Nothing: the data are lost. */
    NONE
}
