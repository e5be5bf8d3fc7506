package io.drumlin.checkpoint;

/**
 * What the ranks agreed on in {@link Checkpoints#snapshot}.
 *
 * @param iteration number of the call, from 1, at which another minute will be over and a checkpoint may be due
 * @param syncInterval calls from one agreement to the next
 */
public record SnapshotPlan(long iteration, long syncInterval) {}
