package io.drumlin.checkpoint;

/** Where a rank gets its data of a checkpoint from (docs/formats/fti-run-directory.md, section 5). */
public enum DataSource {
    /** Its own file. */
    OWN_FILE,
    /** Level 2: the copy on its right neighbour. */
    PARTNER_COPY,
    /** Level 3: the files of its group, decoded by the Reed-Solomon code. */
    REED_SOLOMON,
    /** Nowhere: the data are lost. */
    NONE
}
