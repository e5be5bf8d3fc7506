package io.drumlin.checkpoint;

/**
 * How the containers of an FTI-FF file are placed: {@code [drumlin] packing}. C FTI reads both
 * (docs/adr/003-aligned-packing-is-the-default.md).
 */
public enum Packing {
    /**
     * Every container starts on a block, so that all of it is written by direct I/O. This costs up to 4 KiB per
     * container.
     */
    ALIGNED,
    /** Containers follow each other without gaps: the files of C FTI, byte for byte. */
    COMPACT
}
