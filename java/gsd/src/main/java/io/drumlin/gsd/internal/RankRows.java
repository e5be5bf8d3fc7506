package io.drumlin.gsd.internal;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a chunk that one rank writes.
 *
 * @param first number of the rank's first row
 * @param total rows of all ranks together
 * @param due whether a flush is due on any rank
 */
public record RankRows(long first, long total, boolean due) {

    /**
     * Exchanges the number of rows with the other ranks. Collective.
     *
     * @param rows the rows of this rank
     * @param signature a number that must be equal on all ranks
     * @param due whether a flush is due on this rank
     * @param failure why this rank cannot continue, or {@code null}
     * @throws IOException on every rank: one of them failed, or they do not write the same chunk
     */
    public static RankRows of(
            Communicator comm, String operation, long rows, long signature, boolean due, @Nullable IOException failure)
            throws IOException {
        return of(comm, operation, new long[] {rows}, signature, due, failure)[0];
    }

    /**
     * Exchanges the numbers of rows of several chunks with the other ranks. Neither the messages of a rank nor its memory
     * grow with the number of ranks, but for the depth of a tree. Collective.
     *
     * @param rows the rows of this rank in each chunk; every rank gives the same number of them
     * @param signature a number that must be equal on all ranks
     * @param due whether a flush is due on this rank
     * @param failure why this rank cannot continue, or {@code null}
     * @throws IOException on every rank: one of them failed, or they do not write the same chunks
     */
    public static RankRows[] of(
            Communicator comm,
            String operation,
            long[] rows,
            long signature,
            boolean due,
            @Nullable IOException failure)
            throws IOException {
        // The highest of a number and of its complement are complements if all ranks have the same number.
        long[] highest = {failure == null ? 0 : 1, signature, ~signature, due ? 1 : 0};
        comm.allreduce(highest, Op.MAX);
        if (highest[0] != 0) {
            Agreement.agree(comm, operation, failure);
        }
        if (highest[1] != ~highest[2]) {
            throw refused(comm, operation, "the ranks do not write the same chunks");
        }
        long[] totals = rows.clone();
        comm.allreduce(totals, Op.SUM);
        RankRows[] result = new RankRows[rows.length];
        for (int i = 0; i < rows.length; i++) {
            result[i] = new RankRows(comm.exscan(rows[i]), totals[i], highest[3] != 0);
        }
        for (long total : totals) {
            if (total < 0) {
                throw refused(comm, operation, "the ranks give more than 2^63 rows");
            }
        }
        return result;
    }

    private static DrumlinException refused(Communicator comm, String operation, String problem) {
        return DrumlinException.during(operation)
                .rank(comm.rank())
                .problem(problem)
                .advice("give the same names, types and numbers of columns on every rank")
                .exception();
    }
}
