package io.drumlin.hdf5;

/** Elements that follow each other in a dataset, and of which a box of indices consists. */
final class ElementBlock {

    private final long[] start;
    private final long[] count;
    private long elements = 1;

    /**
     * Makes the largest block from an element on.
     *
     * @param dimensions the dimensions of the dataset, all above 0
     * @param first number of the element
     * @param most largest number of elements, at least 1
     */
    ElementBlock(long[] dimensions, long first, long most) {
        start = new long[dimensions.length];
        count = new long[dimensions.length];
        long rest = first;
        boolean whole = true;
        for (int i = dimensions.length - 1; i >= 0; i--) {
            start[i] = rest % dimensions[i];
            rest /= dimensions[i];
            // Along the dimensions before one that is not taken whole, the box has one index.
            count[i] = whole ? Math.min(dimensions[i] - start[i], most / elements) : 1;
            whole = whole && count[i] == dimensions[i];
            elements *= count[i];
        }
    }

    /** Returns the indices of the first element. */
    long[] start() {
        return start.clone();
    }

    /** Returns the number of elements along each dimension. */
    long[] count() {
        return count.clone();
    }

    /** Returns the number of all elements. */
    long elements() {
        return elements;
    }
}
