package io.drumlin.comm;

import io.drumlin.DrumlinException;

/**
 * Thrown if a collective call failed on this rank, so that the rank does not know what the others know.
 *
 * <p>It is not a vote. The others may have agreed on anything there, so it must cause nothing to be done or undone that
 * was to be agreed on.
 */
public class MeetingException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception that {@code context} describes.
     *
     * @param context the details of the failure
     */
    public MeetingException(Context context) {
        super(context);
    }

    /**
     * Reports a failure of a collective call.
     *
     * @param operation the operation
     * @param rank the rank on which it failed
     * @param failure the exception of a communicator
     * @return the exception itself if it is a {@code MeetingException} already
     */
    public static MeetingException of(String operation, int rank, Exception failure) {
        return failure instanceof MeetingException told
                ? told
                : new MeetingException(DrumlinException.during(operation)
                        .rank(rank)
                        .problem("a message between the ranks failed: " + failure.getMessage())
                        .cause(failure)
                        .advice("end the job and start it again"));
    }
}
