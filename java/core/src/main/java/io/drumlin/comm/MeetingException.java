package io.drumlin.comm;

import io.drumlin.DrumlinException;

/**
 * A collective call failed on this rank: it does not know what the others know.
 *
 * <p>It is no vote. The others may have agreed on anything there, so what was to be agreed on is neither done nor undone because of
 * it.
 */
public class MeetingException extends DrumlinException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception that {@code context} describes.
     *
     * @param context everything known about the failure
     */
    public MeetingException(Context context) {
        super(context);
    }

    /**
     * Tells a failure of a collective call as what it is.
     *
     * @param operation what was being done
     * @param rank on which it failed
     * @param failure what a communicator threw
     * @return the failure itself, if it tells that already
     */
    static MeetingException of(String operation, int rank, Exception failure) {
        return failure instanceof MeetingException told
                ? told
                : new MeetingException(DrumlinException.during(operation)
                        .rank(rank)
                        .problem("a message between the ranks failed: " + failure.getMessage())
                        .cause(failure)
                        .advice("end the job and start it again"));
    }
}
