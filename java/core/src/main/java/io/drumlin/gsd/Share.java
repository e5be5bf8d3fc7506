package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The part of a chunk that one rank gives.
 *
 * @param first number of its first row
 * @param total rows of all ranks
 */
record Share(long first, long total) {

    /** Rows of one rank, what the chunk is, and whether the rank can go on. */
    private static final int MESSAGE = 3 * Long.BYTES;

    /**
     * Meets the other ranks. Collective.
     *
     * @param rows of this rank
     * @param signature what must be equal on all ranks
     * @param failure why this rank cannot go on, or {@code null}
     * @throws IOException on every rank: one of them failed, or they do not write the same chunk
     */
    static Share of(Communicator comm, String operation, long rows, long signature, @Nullable IOException failure)
            throws IOException {
        ByteBuffer part = ByteBuffer.allocate(MESSAGE);
        part.putLong(rows).putLong(signature).putLong(failure == null ? 0 : 1).flip();
        ByteBuffer all = ByteBuffer.allocate(Math.multiplyExact(MESSAGE, comm.size()));
        comm.allgather(part, all);
        long first = 0;
        long total = 0;
        boolean failed = false;
        boolean equal = true;
        for (int rank = 0; rank < comm.size(); rank++) {
            first = rank == comm.rank() ? total : first;
            total += all.getLong(rank * MESSAGE);
            equal &= all.getLong(rank * MESSAGE + Long.BYTES) == all.getLong(Long.BYTES);
            failed |= all.getLong(rank * MESSAGE + 2 * Long.BYTES) != 0;
        }
        if (failed) {
            Agreement.agree(comm, operation, failure);
        }
        if (!equal || total < 0) {
            throw DrumlinException.during(operation)
                    .rank(comm.rank())
                    .problem(equal ? "the ranks give more than 2^63 rows" : "the ranks do not write the same chunk")
                    .advice("give the same name, type and number of columns on every rank")
                    .exception();
        }
        return new Share(first, total);
    }
}
