package io.drumlin.checkpoint;

/**
 * How much of the data had changed at a differential checkpoint.
 *
 * @param data bytes that this rank protects
 * @param changed bytes of the blocks of this rank that differed from the previous differential checkpoint
 * @param allData bytes that all ranks protect
 * @param allChanged bytes of the changed blocks of all ranks
 */
public record DifferentialShare(long data, long changed, long allData, long allChanged) {}
