package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution.Blocks;
import java.io.IOException;

/** The map of blocks of consecutive elements, one rank after the other. */
final class BlockMap implements ElementMap {

    private final Blocks blocks;
    private final long[] places;
    private final long[] starts;

    /**
     * @param places elements in the array of each rank, including those of its neighbours
     * @param starts the first element of each rank's own block, and after the last block
     */
    private BlockMap(Blocks blocks, long[] places, long[] starts) {
        this.blocks = blocks;
        this.places = places;
        this.starts = starts;
    }

    static BlockMap of(Blocks blocks, long[] places) {
        long[] starts = new long[places.length + 1];
        for (int rank = 0; rank < places.length; rank++) {
            long block = places[rank] - blocks.before() - blocks.after();
            if (block < 0) {
                throw new IllegalArgumentException(
                        "rank " + rank + " has " + places[rank] + " elements, which is less than its ghost cells");
            }
            starts[rank + 1] = starts[rank] + block;
        }
        return new BlockMap(blocks, places, starts);
    }

    static long places(Blocks blocks, int rank, int ranks) {
        if (blocks.length() < 0) {
            return -1;
        }
        long own = start(blocks.length(), rank + 1, ranks) - start(blocks.length(), rank, ranks);
        return blocks.before() + own + blocks.after();
    }

    private static long start(long length, int rank, int ranks) {
        return rank * (length / ranks) + Math.min(rank, length % ranks);
    }

    @Override
    public long length() {
        return starts[places.length];
    }

    @Override
    public void owned(int rank, Sink sink) throws IOException {
        int last = places.length - 1;
        long from = rank == 0 ? -blocks.before() : starts[rank];
        long to = rank == last ? length() + blocks.after() : starts[rank + 1];
        sink.take(from, from - starts[rank] + blocks.before(), to - from);
    }

    @Override
    public void held(int rank, Sink sink) throws IOException {
        sink.take(starts[rank] - blocks.before(), 0, places[rank]);
    }
}
