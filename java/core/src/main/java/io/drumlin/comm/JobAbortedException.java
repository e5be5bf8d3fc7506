package io.drumlin.comm;

/**
 * {@link Communicator#abort} was called where no MPI ends the processes: the rank that called it gets this instead of
 * the end of its process.
 */
public final class JobAbortedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The status the job ends with. */
    private final int code;

    JobAbortedException(int rank, int code) {
        super("rank " + rank + " aborted the job with code " + code);
        this.code = code;
    }

    /**
     * The exit status that was asked for.
     *
     * @return the argument of {@link Communicator#abort}
     */
    public int code() {
        return code;
    }
}
