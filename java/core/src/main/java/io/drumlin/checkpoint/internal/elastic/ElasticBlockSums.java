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
 * Checksums of the blocks of all data of a run of another number of ranks, on each rank: one rank has verified a file, and others
 * read parts of it. They take 32 bytes for each MiB of the checkpoint. Immutable.
 */
public final class ElasticBlockSums {

    /** Sums of a message. */
    private static final int MOST = 1 << 17;

    private final int slabBytes;

    /** Where the sums of a rank begin, and at the end how many there are. */
    private final int[] starts;

    private final long[] sums;

    private ElasticBlockSums(int slabBytes, int[] starts, long[] sums) {
        this.slabBytes = slabBytes;
        this.starts = starts;
        this.sums = sums;
    }

    /**
     * Brings all sums to all ranks. Collective.
     *
     * @param ranks of the former run
     * @param verified by this rank, by rank of the former run; on one rank each
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
     * Those of a rank's data.
     *
     * @param part as it is read now
     * @return empty if nothing of it has a digest
     * @throws DamagedException it is not as it was when it was verified
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
