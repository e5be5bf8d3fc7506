package io.drumlin.comm;

/**
 * Thrown by {@link Communicator#abort} if no MPI ends the processes. The calling rank gets it instead of the end of its
 * process.
 */
public final class JobAbortedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The exit status of the job. */
    private final int code;

    JobAbortedException(int rank, int code) {
        super("rank " + rank + " aborted the job with code " + code);
        this.code = code;
    }

    /**
     * Returns the requested exit status.
     *
     * @return the argument of {@link Communicator#abort}
     */
    public int code() {
        return code;
    }
}
