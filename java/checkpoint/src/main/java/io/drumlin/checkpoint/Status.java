package io.drumlin.checkpoint;

/** How a run started. The numbers are what {@code FTI_Status} returns. */
public enum Status {
    /** The run has nothing to recover. */
    FRESH(0),
    /** The run continues after a failure; the data can be recovered. */
    RESTART(1),
    /** The run continues from the checkpoint kept by a run that completed. */
    RESTART_FROM_KEPT(2),
    /**
     * A new run, on any number of ranks, begins with the data of a shared HDF5 file. C FTI calls this variate processor
     * recovery. See {@link SingleFile}.
     */
    RESTART_FROM_SINGLE_FILE(3);

    private final int number;

    Status(int number) {
        this.number = number;
    }

    /**
     * Returns the number of the status in C FTI.
     *
     * @return 0 to 3
     */
    public int number() {
        return number;
    }
}
