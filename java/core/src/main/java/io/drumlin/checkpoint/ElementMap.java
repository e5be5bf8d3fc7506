package io.drumlin.checkpoint;

import io.drumlin.checkpoint.Distribution.Blocks;
import io.drumlin.checkpoint.Distribution.Cyclic;
import io.drumlin.checkpoint.Distribution.Indexed;
import io.drumlin.checkpoint.Distribution.Replicated;
import java.io.IOException;

/** Which rank has which elements of a variable, for one number of ranks: what a {@link Distribution} comes to. */
interface ElementMap {

    /** Takes consecutive elements that are at consecutive places of a rank. */
    @FunctionalInterface
    interface Sink {

        /**
         * Takes them.
         *
         * @param element number of the first
         * @param place of the first
         * @param length how many
         */
        void take(long element, long place, long length) throws IOException;
    }

    /** How many elements there are in all. */
    long length();

    /** The elements that a rank provides, in the order of places: of several ranks that have an element one does. */
    void owned(int rank, Sink sink) throws IOException;

    /** The elements that a rank has. */
    default void held(int rank, Sink sink) throws IOException {
        owned(rank, sink);
    }

    /** How many places a rank has; -1 if that is up to the program. */
    static long places(Distribution distribution, int rank, int ranks) {
        if (distribution instanceof Blocks blocks) {
            return BlockMap.places(blocks, rank, ranks);
        }
        if (distribution instanceof Cyclic cyclic) {
            return CyclicMap.places(cyclic, rank, ranks);
        }
        return distribution instanceof Indexed indexed ? IndexedMap.places(indexed, rank, ranks) : -1;
    }

    /**
     * Where the elements are.
     *
     * @param distribution not {@link Replicated}
     * @param places how many each rank has
     * @throws IllegalArgumentException that cannot be
     */
    static ElementMap of(Distribution distribution, long[] places) {
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
}
