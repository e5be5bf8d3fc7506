package io.drumlin.checkpoint;

/**
 * Size and times of a checkpoint on this rank. For a checkpoint that is finished in the background, the report of the
 * call covers the time until the call returned, and {@link Checkpoints#lastReport} the time until the end.
 *
 * @param ckptId id of the checkpoint
 * @param level level it was taken at
 * @param bytes size of this rank's file, or of its data if a thread takes the checkpoint
 * @param waitSeconds time until all ranks had entered the call
 * @param writeSeconds time until this rank's file was durable, or until the data were copied if a thread takes the
 *     checkpoint
 * @param postSeconds time until the checkpoint was committed on all ranks; about 0 in the report of a call that left
 *     this to a thread or a head
 */
public record CheckpointReport(
        int ckptId, Level level, long bytes, double waitSeconds, double writeSeconds, double postSeconds) {

    /**
     * Returns how long the checkpoint took: how long the simulation stood still, unless the checkpoint was finished in
     * the background and this report covers the time until its end.
     *
     * @return seconds
     */
    public double seconds() {
        return waitSeconds + writeSeconds + postSeconds;
    }
}
