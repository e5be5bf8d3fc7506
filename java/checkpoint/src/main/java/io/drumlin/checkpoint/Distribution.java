package io.drumlin.checkpoint;

/**
 * How the ranks share the elements of a variable. A restart on another number of ranks derives from it which rank had
 * an element and which rank gets it ({@link Checkpoints#distribute}).
 *
 * <p>Elements are numbered from 0 over all ranks. The program decides what an element is: if ranks hold rows of a
 * matrix, an element is a row. The size of an element follows from the size of the protected variable. Ranks are those
 * of {@link Checkpoints#communicator}.
 *
 * <p>Immutable.
 */
public sealed interface Distribution {

    /**
     * Every rank has the same data, such as parameters or the counter of the main loop. A restart takes the data of
     * rank 0 and checks that all ranks had the same.
     *
     * @return the distribution
     */
    static Distribution replicated() {
        return new Replicated();
    }

    /**
     * Every rank has a part of any length, and the parts follow each other in the order of ranks, as in a list of
     * particles. The lengths in the previous run are those that are stored, and the present lengths are those that are
     * protected; both must have the same sum. Elements are those of the variable's type.
     *
     * @return the distribution
     */
    static Blocks contiguous() {
        return new Blocks(-1, 0, 0);
    }

    /**
     * Every rank has one block, and the blocks are as equal as possible: of {@code length} elements on P ranks, the
     * first {@code length % P} ranks have one more than the others.
     *
     * @param length elements of all ranks together, 0 or above
     * @return the distribution
     * @throws IllegalArgumentException the length is negative
     */
    static Blocks block(long length) {
        requireAtLeast(0, length, "length");
        return new Blocks(length, 0, 0);
    }

    /**
     * Blocks of equal length are dealt out to the ranks in turn; the last may be shorter. A rank stores its blocks one
     * after the other.
     *
     * @param length elements of all ranks together, 0 or above
     * @param blockLength elements of a block, above 0
     * @return the distribution
     * @throws IllegalArgumentException a length is too small
     */
    static Distribution blockCyclic(long length, long blockLength) {
        requireAtLeast(0, length, "length");
        requireAtLeast(1, blockLength, "length of a block");
        return new Cyclic(length, blockLength);
    }

    /**
     * A distribution that the program defines, such as blocks in two directions. A restart calls the function on each
     * rank for every place of every rank of the previous run.
     *
     * @param length elements of all ranks together, 0 or above
     * @param function says which rank has which elements
     * @return the distribution
     * @throws IllegalArgumentException the length is negative
     */
    static Distribution of(long length, IndexFunction function) {
        requireAtLeast(0, length, "length");
        return new Indexed(length, function);
    }

    private static void requireAtLeast(long least, long value, String what) {
        if (value < least) {
            throw new IllegalArgumentException("the " + what + " is " + value + " and must be " + least + " or more");
        }
    }

    /** Every rank has the same data. */
    record Replicated() implements Distribution {

        @Override
        public String toString() {
            return "replicated()";
        }
    }

    /**
     * Every rank has one part, and the parts follow each other in the order of ranks.
     *
     * @param length elements of all ranks together; -1 if the stored and the protected lengths decide
     * @param before elements before each block that are copies of a neighbour's
     * @param after elements after each block that are copies of a neighbour's
     */
    record Blocks(long length, long before, long after) implements Distribution {

        /**
         * Adds ghost cells: each rank's block lies between copies of its neighbours' elements. A restart fills the
         * ghost cells with the elements from the neighbours' blocks. It also recovers the ghost cells before the first
         * block and after the last one, which hold boundary values.
         *
         * @param width elements before each block, and after it
         * @return a distribution
         * @throws IllegalArgumentException the width is negative
         */
        public Blocks withGhosts(long width) {
            return withGhosts(width, width);
        }

        /**
         * Adds ghost cells of different widths before and after each block; otherwise like {@link #withGhosts(long)}.
         *
         * @param before elements before each block
         * @param after elements after each block
         * @return a distribution
         * @throws IllegalArgumentException a width is negative
         */
        public Blocks withGhosts(long before, long after) {
            requireAtLeast(0, Math.min(before, after), "width");
            return new Blocks(length, before, after);
        }

        @Override
        public String toString() {
            String ghosts = before + after == 0 ? "" : ".withGhosts(" + before + ", " + after + ")";
            return (length < 0 ? "contiguous()" : "block(" + length + ")") + ghosts;
        }
    }

    /**
     * Blocks of equal length are dealt out to the ranks in turn.
     *
     * @param length elements of all ranks together
     * @param blockLength elements of one block
     */
    record Cyclic(long length, long blockLength) implements Distribution {

        @Override
        public String toString() {
            return "blockCyclic(" + length + ", " + blockLength + ")";
        }
    }

    /**
     * A distribution that the program defines.
     *
     * @param length elements of all ranks together
     * @param function says which rank has which elements
     */
    record Indexed(long length, IndexFunction function) implements Distribution {

        @Override
        public String toString() {
            return "of(" + length + ", ...)";
        }
    }
}
