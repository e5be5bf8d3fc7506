package io.drumlin.checkpoint;

/**
 * What a checkpoint took on this rank.
 *
 * @param ckptId id of the checkpoint
 * @param level level it was taken at
 * @param bytes size of this rank's file
 * @param waitSeconds until all ranks had come
 * @param writeSeconds until this rank's file was durable
 * @param postSeconds until it was committed on all ranks
 */
public record CheckpointReport(
        int ckptId, Level level, long bytes, double waitSeconds, double writeSeconds, double postSeconds) {

    /**
     * Time the simulation stood still.
     *
     * @return seconds
     */
    public double seconds() {
        return waitSeconds + writeSeconds + postSeconds;
    }
}
