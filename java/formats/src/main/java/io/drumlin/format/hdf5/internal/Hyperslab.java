package io.drumlin.format.hdf5.internal;

import java.io.IOException;
import java.util.List;

/**
 * A block of the elements of a dataset, which {@code H5Sselect_hyperslab} selects by start and count. Immutable.
 *
 * @param offset offset of its first element along each dimension; 0 or more
 * @param count number of elements along each dimension, with as many numbers as {@code offset}; 0 or more
 */
public record Hyperslab(List<Long> offset, List<Long> count) {

    /**
     * Checks the numbers.
     *
     * @param offset offset of the first element
     * @param count number of elements
     * @throws IllegalArgumentException the lists differ in length or are empty, or a number is below 0
     */
    public Hyperslab {
        offset = List.copyOf(offset);
        count = List.copyOf(count);
        boolean negative =
                offset.stream().anyMatch(each -> each < 0) || count.stream().anyMatch(each -> each < 0);
        if (offset.isEmpty() || offset.size() != count.size() || negative) {
            throw new IllegalArgumentException(
                    "offset " + offset + " and count " + count + " are not of one rank above 0, and 0 or more");
        }
    }

    /** A consumer of elements that follow each other in the dataset and in the hyperslab. */
    @FunctionalInterface
    public interface Run {

        /**
         * Processes the elements.
         *
         * @param start number of the first one in the dataset, the last dimension varying fastest
         * @param at number of the first one in the hyperslab
         * @param length number of elements, above 0
         * @throws IOException the processing failed
         */
        void accept(long start, long at, long length) throws IOException;
    }

    /**
     * Returns the number of elements.
     *
     * @return 0 or more
     * @throws ArithmeticException the number does not fit into 63 bits
     */
    public long elements() {
        return count.contains(0L) ? 0 : count.stream().reduce(1L, Math::multiplyExact);
    }

    /**
     * Returns whether all elements are in a dataset.
     *
     * @param dimensions the dimensions of the dataset
     * @return also false if the dataset has another rank
     */
    public boolean isWithin(List<Long> dimensions) {
        boolean within = dimensions.size() == offset.size();
        for (int i = 0; within && i < offset.size(); i++) {
            within = count.get(i) <= dimensions.get(i) && offset.get(i) <= dimensions.get(i) - count.get(i);
        }
        return within;
    }

    /** Returns whether both have elements in common; they must have the same rank. */
    boolean overlaps(Hyperslab other) {
        boolean overlaps = elements() > 0 && other.elements() > 0;
        for (int i = 0; overlaps && i < offset.size(); i++) {
            overlaps = offset.get(i) < other.end(i) && other.offset.get(i) < end(i);
        }
        return overlaps;
    }

    /** Returns the index after the last element along a dimension. */
    long end(int dimension) {
        return offset.get(dimension) + count.get(dimension);
    }

    /**
     * Visits the elements in their order. Each call gets as many elements as follow each other in the dataset.
     *
     * @param dimensions the dimensions of the dataset, which must contain this hyperslab
     * @param run called for each run of elements
     * @throws IOException a call has failed
     */
    public void forEachRun(List<Long> dimensions, Run run) throws IOException {
        long elements = elements();
        if (elements == 0) {
            return;
        }
        // Along the dimensions after this one, the hyperslab has all elements of the dataset.
        int cut = dimensions.size() - 1;
        while (cut > 0 && count.get(cut).equals(dimensions.get(cut))) {
            cut--;
        }
        long length = 1;
        for (int i = cut; i < dimensions.size(); i++) {
            length *= count.get(i);
        }
        long[] index = new long[cut];
        for (long at = 0; at < elements; at += length) {
            run.accept(start(dimensions, index), at, length);
            for (int i = cut - 1; i >= 0 && ++index[i] == count.get(i); i--) {
                index[i] = 0;
            }
        }
    }

    /** Returns the number in the dataset of the element with this index along the first dimensions of the hyperslab. */
    private long start(List<Long> dimensions, long[] index) {
        long start = 0;
        for (int i = 0; i < dimensions.size(); i++) {
            start = start * dimensions.get(i) + offset.get(i) + (i < index.length ? index[i] : 0);
        }
        return start;
    }
}
