package io.drumlin.checkpoint;

/**
 * What a checkpoint took on this rank; of one that is being finished behind the computation, until the call returned.
 *
 * @param ckptId id of the checkpoint
 * @param level level it was taken at
 * @param bytes size of this rank's file; when a thread takes the checkpoint, of the data
 * @param waitSeconds until all ranks had come
 * @param writeSeconds until this rank's file was durable; when a thread takes the checkpoint, until the data were copied
 * @param postSeconds until it was committed on all ranks; or handed over to a head
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
