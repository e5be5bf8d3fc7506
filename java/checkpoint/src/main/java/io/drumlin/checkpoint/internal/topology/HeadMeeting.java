package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;

/**
 * Lets heads agree on what they do next together. Orders reach the heads at different times, and callbacks run at
 * different times, so without this one head could work on an order while another waits for it in a call.
 */
public final class HeadMeeting {

    /** The reason why a head comes. The first of the reasons of all heads is dealt with first. */
    public enum Purpose {
        /** The application has given orders. All heads get the same. */
        ORDERS(0),
        /** The application has left, and this head will not call the callback again. */
        END(1),
        /** The callback has asked for work that all heads do together. */
        CALL(2);

        private final int turn;

        Purpose(int turn) {
            this.turn = turn;
        }

        private static Purpose of(long turn) {
            return turn == ORDERS.turn ? ORDERS : turn == END.turn ? END : CALL;
        }
    }

    private final Communicator heads;
    private boolean over;

    public HeadMeeting(Communicator heads) {
        this.heads = heads;
    }

    /**
     * Meets the other heads. A head that comes for orders or to end stays until all come for the same. A head that
     * comes for a call returns when others come for something else. Collective.
     *
     * @return what is dealt with next; all heads come for it unless this one comes for a call
     * @throws MeetingException the heads can no longer meet
     */
    public Purpose meet(Purpose own) throws MeetingException {
        long[] votes;
        do {
            votes = vote(own);
        } while (own != Purpose.CALL && votes[0] != -votes[1]);
        over = own == Purpose.END;
        return Purpose.of(votes[0]);
    }

    /** Returns the first reason of all heads, and the last one as a negative number. */
    private long[] vote(Purpose own) throws MeetingException {
        if (over) {
            throw new MeetingException(context("the heads do not work together any more, because the run has ended"
                    + " or a message between them has failed"));
        }
        long[] votes = {own.turn, -own.turn};
        try {
            heads.allreduce(votes, Communicator.Op.MIN);
        } catch (IOException e) {
            over = true;
            throw new MeetingException(context("a message between the heads failed: " + e.getMessage())
                    .cause(e));
        }
        if (votes[0] < 0) {
            over = true;
            throw new MeetingException(context("another head has left, because a message between the heads failed"));
        }
        return votes;
    }

    /**
     * Checks that all heads have come for the same call. Collective.
     *
     * @param next what {@link #meet} has returned
     * @param operation what this head comes for
     * @throws IOException on all heads: they have not
     */
    public void requireSame(Purpose next, String operation) throws IOException {
        if (next == Purpose.END) {
            throw notTogether(operation, "another head has ended without calling it");
        }
        String first = Agreement.bcast(heads, operation, 0);
        Agreement.run(heads, operation, () -> {
            if (!first.equals(operation)) {
                throw notTogether(operation, "the first head calls another one: " + first);
            }
        });
    }

    private static DrumlinException notTogether(String operation, String problem) {
        return DrumlinException.during(operation)
                .problem(problem)
                .advice("call it on all heads, in the same order")
                .exception();
    }

    private DrumlinException.Context context(String problem) {
        return DrumlinException.during("meeting the other heads")
                .rank(heads.rank())
                .problem(problem)
                .advice("end the job and start it again");
    }

    /**
     * Ends the meetings on a head that does not know what the heads have agreed on, and tells the others, who may wait
     * for this head.
     *
     * @param unknown the meeting that failed
     */
    public void leave(MeetingException unknown) {
        if (!over) {
            over = true;
            Agreement.tellUnknown(heads, "meeting the other heads", unknown);
        }
    }
}
