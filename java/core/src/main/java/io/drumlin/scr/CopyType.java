package io.drumlin.scr;

/** How a dataset in the caches is protected against the loss of nodes (docs/formats/scr.md, section 11). */
public enum CopyType {
    /** Not at all: a process may die, a node not. */
    SINGLE,
    /** Each rank's files are also in the nodes of the next ranks. */
    PARTNER,
    /** A sum over each set of ranks; one node of a set may be lost. */
    XOR,
    /** Reed-Solomon sums over each set of ranks; as many nodes of a set may be lost as there are sums. */
    RS
}
