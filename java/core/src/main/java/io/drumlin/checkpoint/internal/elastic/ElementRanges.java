package io.drumlin.checkpoint.internal.elastic;

import io.drumlin.checkpoint.internal.elastic.ElementMap.Sink;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The elements that a rank holds, as runs of consecutive ones at consecutive places, to be found by their numbers. Takes three longs of
 * memory per run.
 */
final class ElementRanges {

    private static final int FIRST_RUNS = 16;

    private long[] elements = new long[FIRST_RUNS];
    private long[] places = new long[FIRST_RUNS];
    private long[] lengths = new long[FIRST_RUNS];
    private int runs;
    private long count;

    /**
     * The elements of a rank.
     *
     * @throws IllegalArgumentException it has an element twice
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

    /** How many elements the rank holds. */
    long count() {
        return count;
    }

    /** What becomes of elements that are in both. */
    @FunctionalInterface
    interface Match {

        /**
         * Takes consecutive ones.
         *
         * @param from place of the first in the other run
         * @param to place of the first here
         * @param length how many
         */
        void take(long from, long to, long length) throws IOException;
    }

    /** Finds what it has of another run, in the order of the other's places. */
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
