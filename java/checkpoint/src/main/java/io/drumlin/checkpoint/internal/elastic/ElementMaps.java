package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Distribution.Blocks;
import io.drumlin.checkpoint.Distribution.Cyclic;
import io.drumlin.checkpoint.Distribution.Indexed;
import io.drumlin.checkpoint.Distribution.Replicated;
import io.drumlin.checkpoint.IndexFunction;
import java.io.IOException;

/** Makes the {@link ElementMap} of a distribution. */
public final class ElementMaps {

    private ElementMaps() {}

    /** Returns how many places a rank has; -1 if the program decides. */
    public static long places(Distribution distribution, int rank, int ranks) {
        if (distribution instanceof Blocks blocks) {
            return BlockMap.places(blocks, rank, ranks);
        }
        if (distribution instanceof Cyclic cyclic) {
            return CyclicMap.places(cyclic, rank, ranks);
        }
        return distribution instanceof Indexed indexed ? IndexedMap.places(indexed, rank, ranks) : -1;
    }

    /**
     * Returns the map of a distribution.
     *
     * @param distribution not {@link Replicated}
     * @param places places of each rank
     * @throws IllegalArgumentException the places do not fit the distribution
     */
    public static ElementMap of(Distribution distribution, long[] places) {
        if (distribution instanceof Blocks blocks) {
            return BlockMap.of(blocks, places);
        }
        if (distribution instanceof Cyclic cyclic) {
            return new CyclicMap(cyclic, places);
        }
        if (distribution instanceof Indexed indexed) {
            return new IndexedMap(indexed, places);
        }
        throw new IllegalArgumentException(distribution + ": nothing is shared");
    }

    /** The map of blocks of equal length that are dealt out to the ranks in turn. */
    private static final class CyclicMap implements ElementMap {

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

    /** The map of blocks of consecutive elements, one rank after the other. */
    private static final class BlockMap implements ElementMap {

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

    /** The map of elements whose places a function of the program determines. */
    private static final class IndexedMap implements ElementMap {

        private final Indexed indexed;
        private final long[] places;

        /** @param places places of each rank */
        IndexedMap(Indexed indexed, long[] places) {
            this.indexed = indexed;
            this.places = places;
        }

        static long places(Indexed indexed, int rank, int ranks) {
            long places = indexed.function().places(rank, ranks);
            if (places < 0) {
                throw new IllegalArgumentException(
                        "the number of places of rank " + rank + " is " + places + " and must be 0 or more");
            }
            return places;
        }

        @Override
        public long length() {
            return indexed.length();
        }

        @Override
        public void owned(int rank, Sink sink) throws IOException {
            long place = 0;
            while (place < places[rank]) {
                long element = element(rank, place);
                long count = 1;
                while (element >= 0
                        && place + count < places[rank]
                        && element(rank, place + count) == element + count) {
                    count++;
                }
                if (element >= 0) {
                    sink.take(element, place, count);
                }
                place += count;
            }
        }

        private long element(int rank, long place) {
            long element = indexed.function().index(rank, places.length, place);
            if (element < IndexFunction.NONE || element >= indexed.length()) {
                throw new IllegalArgumentException("the index function gives element " + element + " for place " + place
                        + " of rank " + rank + " of " + places.length + ", and there are " + indexed.length());
            }
            return element;
        }
    }
}
