package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.Distribution.Indexed;
import io.drumlin.checkpoint.IndexFunction;
import java.io.IOException;

/** The map of elements whose places a function of the program determines. */
final class IndexedMap implements ElementMap {

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
            while (element >= 0 && place + count < places[rank] && element(rank, place + count) == element + count) {
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
