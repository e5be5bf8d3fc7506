package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.mode.ElasticCheckpoint.Part;
import io.drumlin.checkpoint.internal.verify.BlockSums;
import io.drumlin.checkpoint.internal.verify.DamagedException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The block checksums of all data from a run of another number of ranks. Each rank has all of them, because one rank
 * has verified a file and others read parts of it. They need 32 bytes for each MiB of the checkpoint. Immutable.
 */
public final class ElasticBlockSums {

    /** Most checksums in a message. */
    private static final int MOST = 1 << 17;

    private final int slabBytes;

    /** The start of each rank's checksums, followed by their number. */
    private final int[] starts;

    private final long[] sums;

    private ElasticBlockSums(int slabBytes, int[] starts, long[] sums) {
        this.slabBytes = slabBytes;
        this.starts = starts;
        this.sums = sums;
    }

    /**
     * Distributes all checksums to all ranks. Collective.
     *
     * @param ranks number of ranks of the previous run
     * @param verified checksums of the data that this rank has verified, by rank of the previous run; each previous
     *     rank is verified by only one rank
     */
    static ElasticBlockSums of(Communicator app, int slabBytes, int ranks, Map<Integer, List<BlockSums>> verified)
            throws IOException {
        long[] counts = new long[ranks];
        verified.forEach((rank, ranges) -> counts[rank] =
                ranges.stream().mapToLong(range -> range.sums().length).sum());
        app.allreduce(counts, Op.SUM);
        int[] starts = new int[ranks + 1];
        for (int rank = 0; rank < ranks; rank++) {
            starts[rank + 1] = Math.addExact(starts[rank], Math.toIntExact(counts[rank]));
        }
        long[] sums = new long[starts[ranks]];
        verified.forEach((rank, ranges) -> {
            int at = starts[rank];
            for (BlockSums range : ranges) {
                System.arraycopy(range.sums(), 0, sums, at, range.sums().length);
                at += range.sums().length;
            }
        });
        for (int from = 0; from < sums.length; from += MOST) {
            long[] message = Arrays.copyOfRange(sums, from, Math.min(sums.length, from + MOST));
            app.allreduce(message, Op.SUM);
            System.arraycopy(message, 0, sums, from, message.length);
        }
        return new ElasticBlockSums(slabBytes, starts, sums);
    }

    /**
     * Returns the checksums of a rank's data.
     *
     * @param part the data as they are read now
     * @return the checksums; empty if none of the data have a digest
     * @throws DamagedException the data have changed since they were verified
     */
    List<BlockSums> of(int rank, Part part) throws DamagedException {
        int at = starts[rank];
        int end = starts[rank + 1];
        if (at == end) {
            return List.of();
        }
        List<BlockSums> ranges = new ArrayList<>();
        for (Chunk chunk : part.file().toVerify()) {
            int blocks = BlockSums.blocks(chunk, slabBytes);
            if (blocks > end - at) {
                throw DamagedException.changing(part.path());
            }
            ranges.add(new BlockSums(chunk, slabBytes, Arrays.copyOfRange(sums, at, at + blocks)));
            at += blocks;
        }
        if (at != end) {
            throw DamagedException.changing(part.path());
        }
        return ranges;
    }
}
