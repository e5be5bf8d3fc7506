package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Distribution.Blocks;
import io.drumlin.checkpoint.Distribution.Cyclic;
import io.drumlin.checkpoint.Distribution.Indexed;
import io.drumlin.checkpoint.Distribution.Replicated;

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
}
