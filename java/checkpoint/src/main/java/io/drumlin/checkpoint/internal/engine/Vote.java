package io.drumlin.checkpoint.internal.engine;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import java.io.IOException;

/**
 * What a rank says when the ranks meet for a checkpoint, and the highest of what all have said.
 *
 * @param leastId the lowest {@code ckptId}; so with {@code leastRequest}
 * @param request the argument of {@code FTI_Checkpoint} for the level
 * @param nanos the time
 * @param takenOver whether another job has the run
 * @param hasData whether there are protected variables
 * @param unrecovered the rank, if it has not recovered what the restart found; otherwise {@link #NO_RANK}
 * @param leftOut the rank, if it has not recovered all; otherwise {@link #NO_RANK}
 */
record Vote(
        long ckptId,
        long leastId,
        long request,
        long leastRequest,
        long nanos,
        boolean takenOver,
        boolean hasData,
        long unrecovered,
        long leftOut) {

    static final long NO_RANK = -1;

    /** Returns whether ranks ask for different checkpoints. */
    boolean differs() {
        return ckptId != leastId || request != leastRequest;
    }

    /** Returns what all ranks have said. Collective. */
    Vote highest(Communicator ranks) throws IOException {
        long[] values = pack();
        ranks.allreduce(values, Op.MAX);
        return unpack(values);
    }

    private long[] pack() {
        return new long[] {
            ckptId, -leastId, request, -leastRequest, nanos, takenOver ? 1 : 0, hasData ? 1 : 0, unrecovered, leftOut
        };
    }

    private static Vote unpack(long[] of) {
        return new Vote(of[0], -of[1], of[2], -of[3], of[4], of[5] == 1, of[6] == 1, of[7], of[8]);
    }
}
