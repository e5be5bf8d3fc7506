package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a chunk that one rank writes.
 *
 * @param first number of the rank's first row
 * @param total rows of all ranks together
 */
record RankRows(long first, long total) {

    /**
     * Exchanges the number of rows with the other ranks. Collective.
     *
     * @param rows the rows of this rank
     * @param signature a number that must be equal on all ranks
     * @param failure why this rank cannot continue, or {@code null}
     * @throws IOException on every rank: one of them failed, or they do not write the same chunk
     */
    static RankRows of(Communicator comm, String operation, long rows, long signature, @Nullable IOException failure)
            throws IOException {
        return of(comm, operation, new long[] {rows}, signature, failure)[0];
    }

    /**
     * Exchanges the numbers of rows of several chunks with the other ranks. Collective.
     *
     * @param rows the rows of this rank in each chunk; every rank gives the same number of them
     * @param signature a number that must be equal on all ranks
     * @param failure why this rank cannot continue, or {@code null}
     * @throws IOException on every rank: one of them failed, or they do not write the same chunks
     */
    static RankRows[] of(
            Communicator comm, String operation, long[] rows, long signature, @Nullable IOException failure)
            throws IOException {
        int words = rows.length + 2;
        ByteBuffer part = ByteBuffer.allocate(words * Long.BYTES);
        for (long each : rows) {
            part.putLong(each);
        }
        part.putLong(signature).putLong(failure == null ? 0 : 1).flip();
        ByteBuffer gathered = ByteBuffer.allocate(Math.multiplyExact(part.remaining(), comm.size()));
        comm.allgather(part, gathered);
        LongBuffer all = gathered.asLongBuffer();
        boolean failed = false;
        boolean equal = true;
        for (int message = 0; message < all.limit(); message += words) {
            equal &= all.get(message + rows.length) == all.get(rows.length);
            failed |= all.get(message + rows.length + 1) != 0;
        }
        if (failed) {
            Agreement.agree(comm, operation, failure);
        }
        RankRows[] result = new RankRows[rows.length];
        for (int i = 0; i < rows.length; i++) {
            long first = 0;
            long total = 0;
            for (int rank = 0; rank < comm.size(); rank++) {
                first = rank == comm.rank() ? total : first;
                total += all.get(rank * words + i);
            }
            if (!equal || total < 0) {
                throw DrumlinException.during(operation)
                        .rank(comm.rank())
                        .problem(
                                equal ? "the ranks give more than 2^63 rows" : "the ranks do not write the same chunks")
                        .advice("give the same names, types and numbers of columns on every rank")
                        .exception();
            }
            result[i] = new RankRows(first, total);
        }
        return result;
    }
}
