package io.drumlin.checkpoint;

/**
 * What the ranks agreed on in {@link Checkpoints#snapshot}.
 *
 * @param calls completed calls, 1 or more
 * @param interval calls from one possible checkpoint to the next, 1 or more
 * @param iteration number of the call, from 1, at which a checkpoint may be due next
 * @param syncInterval calls since the ranks agreed last, 1 or more
 */
public record SnapshotPlan(long calls, long interval, long iteration, long syncInterval) {}
