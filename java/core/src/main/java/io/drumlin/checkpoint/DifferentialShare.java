package io.drumlin.checkpoint;

/**
 * How much of the data a differential checkpoint found changed.
 *
 * @param data bytes that this rank protects
 * @param changed bytes of the blocks of this rank that were not as in the differential checkpoint before
 * @param allData bytes that all ranks protect
 * @param allChanged bytes of such blocks of all ranks
 */
public record DifferentialShare(long data, long changed, long allData, long allChanged) {}
