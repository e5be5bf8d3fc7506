package io.drumlin.scr.internal.settings;

/** The protection of a cached dataset against the loss of nodes (docs/formats/scr.md, section 11). */
public enum CopyType {
    /** No protection: the dataset survives the death of a process, but not of a node. */
    SINGLE,
    /** The nodes of the next ranks hold copies of each rank's files. */
    PARTNER,
    /** Each set of ranks holds a sum; one node of a set may be lost. */
    XOR,
    /** Each set of ranks holds Reed-Solomon sums; as many nodes of a set may be lost as there are sums. */
    RS
}
