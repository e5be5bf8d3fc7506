package io.drumlin.format.fti;

/** The releases of C FTI whose metadata have the same keys; docs/formats/fti-posix.md, section 3. */
public enum Release {
    /** No section of the checkpoint, and of a variable its id and its size. Up to v1.2. */
    V1_0,
    /** Also the section of the checkpoint, and positions. */
    V1_3,
    /** Also names. */
    V1_4,
    /** Also types and dimensions. */
    V1_5
}
