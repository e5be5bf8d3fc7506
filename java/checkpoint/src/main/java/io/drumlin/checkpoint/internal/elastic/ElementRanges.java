package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.internal.elastic.ElementMap.Sink;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The elements that a rank holds, as searchable ranges of consecutive elements at consecutive places. Needs three longs
 * of memory per range.
 */
final class ElementRanges {

    private static final int FIRST_RUNS = 16;

    private long[] elements = new long[FIRST_RUNS];
    private long[] places = new long[FIRST_RUNS];
    private long[] lengths = new long[FIRST_RUNS];
    private int runs;
    private long count;

    /**
     * Returns the elements of a rank.
     *
     * @throws IllegalArgumentException the rank has an element twice
     */
    static ElementRanges of(ElementMap shares, int rank) throws IOException {
        ElementRanges held = new ElementRanges();
        shares.held(rank, held::add);
        held.sort();
        for (int run = 1; run < held.runs; run++) {
            if (held.elements[run] < held.end(run - 1)) {
                throw new IllegalArgumentException(
                        "rank " + rank + " has element " + held.elements[run] + " in two places");
            }
        }
        return held;
    }

    private void add(long element, long place, long length) {
        if (length == 0) {
            return;
        }
        if (runs == elements.length) {
            elements = Arrays.copyOf(elements, 2 * runs);
            places = Arrays.copyOf(places, 2 * runs);
            lengths = Arrays.copyOf(lengths, 2 * runs);
        }
        elements[runs] = element;
        places[runs] = place;
        lengths[runs] = length;
        runs++;
        count += length;
    }

    private void sort() {
        boolean sorted = IntStream.range(1, runs).allMatch(run -> elements[run - 1] <= elements[run]);
        if (!sorted) {
            int[] order = IntStream.range(0, runs)
                    .boxed()
                    .sorted(Comparator.comparingLong(run -> elements[run]))
                    .mapToInt(run -> run)
                    .toArray();
            elements = permuted(elements, order);
            places = permuted(places, order);
            lengths = permuted(lengths, order);
        }
    }

    private static long[] permuted(long[] values, int[] order) {
        return Arrays.stream(order).mapToLong(index -> values[index]).toArray();
    }

    private long end(int run) {
        return elements[run] + lengths[run];
    }

    /** Returns how many elements the rank holds. */
    long count() {
        return count;
    }

    /** Receives elements that both runs have. */
    @FunctionalInterface
    interface Match {

        /**
         * Receives consecutive elements.
         *
         * @param from place of the first element in the other run
         * @param to place of the first element in this run
         * @param length number of elements
         */
        void take(long from, long to, long length) throws IOException;
    }

    /**
     * Returns a sink that finds the elements of another run that this rank has too, in the order of places in the other
     * run.
     */
    Sink among(Match match) {
        return (element, place, length) -> {
            for (int run = firstEndingAfter(element); run < runs && elements[run] < element + length; run++) {
                long from = Math.max(element, elements[run]);
                long to = Math.min(element + length, end(run));
                match.take(place + from - element, places[run] + from - elements[run], to - from);
            }
        };
    }

    private int firstEndingAfter(long element) {
        int low = 0;
        int high = runs;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (end(middle) > element) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
