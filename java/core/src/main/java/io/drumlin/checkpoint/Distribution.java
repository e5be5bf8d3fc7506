package io.drumlin.checkpoint;

/**
 * How the elements of a variable are shared by the ranks: from it a restart on another number of ranks knows which rank had an element and
 * which gets it ({@link Checkpoints#distribute}).
 *
 * <p>Elements are numbered from 0 over all ranks. An element is whatever the numbers count: of a matrix of which ranks hold rows it is
 * a row. How large it is follows from the size of the protected variable. Ranks are those of {@link Checkpoints#communicator}.
 *
 * <p>Immutable.
 */
public sealed interface Distribution {

    /**
     * Every rank has the same: parameters, the counter of the main loop. A restart takes what rank 0 had and checks that all had the same.
     *
     * @return the distribution
     */
    static Distribution replicated() {
        return new Replicated();
    }

    /**
     * Every rank has a part of the whole, one rank after the other, of any length: lists of particles. The former run's lengths are those that
     * are stored, the present ones those that are protected; together they must be as long. Elements are those of the variable's type.
     *
     * @return the distribution
     */
    static Blocks contiguous() {
        return new Blocks(-1, 0, 0);
    }

    /**
     * Blocks as equal as can be: of {@code length} elements on P ranks the first {@code length % P} ranks have one more than the others.
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
     * Blocks of one length, dealt out to the ranks in turn; the last may be shorter. A rank has its blocks one after the other.
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
     * A distribution of the program's own, such as blocks in two directions. A restart calls the function on each rank for every place of
     * every former rank.
     *
     * @param length elements of all ranks together, 0 or above
     * @param function says where they are
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

    /** Every rank has the same. */
    record Replicated() implements Distribution {

        @Override
        public String toString() {
            return "replicated()";
        }
    }

    /**
     * A part of the whole for every rank, one rank after the other.
     *
     * @param length elements of all ranks together; -1 if that is up to what is stored and what is protected
     * @param before elements before each block that are copies of a neighbour's
     * @param after elements after each block that are copies of a neighbour's
     */
    record Blocks(long length, long before, long after) implements Distribution {

        /**
         * The same for arrays with ghost cells: each rank's block lies between copies of its neighbours' elements. A restart fills them with what
         * the neighbours had in their blocks. The ghost cells before the first block and after the last, for boundary values, are brought back too.
         *
         * @param width elements before each block, and after it
         * @return a distribution
         * @throws IllegalArgumentException the width is negative
         */
        public Blocks withGhosts(long width) {
            return withGhosts(width, width);
        }

        /**
         * The same with a width of its own for each side.
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
     * Blocks of one length, dealt out to the ranks in turn.
     *
     * @param length elements of all ranks together
     * @param blockLength elements of a block
     */
    record Cyclic(long length, long blockLength) implements Distribution {

        @Override
        public String toString() {
            return "blockCyclic(" + length + ", " + blockLength + ")";
        }
    }

    /**
     * A distribution of the program's own.
     *
     * @param length elements of all ranks together
     * @param function says where they are
     */
    record Indexed(long length, IndexFunction function) implements Distribution {

        @Override
        public String toString() {
            return "of(" + length + ", ...)";
        }
    }
}
