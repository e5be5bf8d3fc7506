package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution.Cyclic;
import java.io.IOException;

/** The map of blocks of equal length that are dealt out to the ranks in turn. */
final class CyclicMap implements ElementMap {

    private final Cyclic cyclic;
    private final long[] places;

    /** @param places elements of each rank */
    CyclicMap(Cyclic cyclic, long[] places) {
        this.cyclic = cyclic;
        this.places = places;
    }

    static long places(Cyclic cyclic, int rank, int ranks) {
        long whole = cyclic.length() / cyclic.blockLength();
        long blocks = whole / ranks + (rank < whole % ranks ? 1 : 0);
        return blocks * cyclic.blockLength() + (rank == whole % ranks ? cyclic.length() % cyclic.blockLength() : 0);
    }

    @Override
    public long length() {
        return cyclic.length();
    }

    @Override
    public void owned(int rank, Sink sink) throws IOException {
        long place = 0;
        for (long block = rank; place < places[rank]; block += places.length) {
            long count = Math.min(cyclic.blockLength(), places[rank] - place);
            sink.take(block * cyclic.blockLength(), place, count);
            place += count;
        }
    }
}
