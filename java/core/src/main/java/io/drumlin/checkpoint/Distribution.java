package io.drumlin.checkpoint;

import java.io.IOException;

/**
 * How the elements of a variable are shared by the ranks: from it a restart on another number of ranks knows which rank had an element and
 * which gets it ({@link Checkpoints#distribute}).
 *
 * <p>Elements are numbered from 0 over all ranks. An element is whatever the numbers count: of a matrix of which ranks hold rows it is
 * a row. How large it is follows from the size of the protected variable. Ranks are those of {@link Checkpoints#communicator}.
 *
 * <p>Immutable.
 */
public abstract class Distribution {

    private Distribution() {}

    /**
     * Every rank has the same: parameters, the counter of the main loop. A restart takes what rank 0 had and checks that all had the same.
     *
     * @return the distribution
     */
    public static Distribution replicated() {
        return new Replicated();
    }

    /**
     * Every rank has a part of the whole, one rank behind the other, of any length: lists of particles. The former run's lengths are those that
     * are stored, the present ones those that are protected; together they must be as long. Elements are those of the variable's type.
     *
     * @return the distribution
     */
    public static Blocks contiguous() {
        return new Blocks(-1, 0, 0);
    }

    /**
     * Blocks as equal as can be: of {@code length} elements on P ranks the first {@code length % P} ranks have one more than the others.
     *
     * @param length elements of all ranks together, 0 or above
     * @return the distribution
     * @throws IllegalArgumentException the length is negative
     */
    public static Blocks block(long length) {
        requireAtLeast(0, length, "length");
        return new Blocks(length, 0, 0);
    }

    /**
     * Blocks of one length, dealt out to the ranks in turn; the last may be shorter. A rank has its blocks one behind the other.
     *
     * @param length elements of all ranks together, 0 or above
     * @param blockLength elements of a block, above 0
     * @return the distribution
     * @throws IllegalArgumentException a length is too small
     */
    public static Distribution blockCyclic(long length, long blockLength) {
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
    public static Distribution of(long length, IndexFunction function) {
        requireAtLeast(0, length, "length");
        return new Indexed(length, function);
    }

    private static void requireAtLeast(long least, long value, String what) {
        if (value < least) {
            throw new IllegalArgumentException("the " + what + " is " + value + " and must be " + least + " or more");
        }
    }

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

    /** The places of one number of ranks. */
    interface Shares {

        /** How many elements there are in all. */
        long length();

        /** The elements that a rank provides, in the order of places: of several ranks that have an element one does. */
        void owned(int rank, Sink sink) throws IOException;

        /** The elements that a rank has. */
        default void held(int rank, Sink sink) throws IOException {
            owned(rank, sink);
        }
    }

    boolean isReplicated() {
        return false;
    }

    /** How many places a rank has; -1 if that is up to the program. */
    abstract long places(int rank, int ranks);

    /**
     * Where the elements are.
     *
     * @param places how many each rank has
     * @throws IllegalArgumentException that cannot be
     */
    abstract Shares shares(long[] places);

    private static final class Replicated extends Distribution {

        @Override
        boolean isReplicated() {
            return true;
        }

        @Override
        long places(int rank, int ranks) {
            return -1;
        }

        @Override
        Shares shares(long[] places) {
            throw new UnsupportedOperationException("nothing is shared");
        }

        @Override
        public String toString() {
            return "replicated()";
        }
    }

    /** A part of the whole for every rank, one rank behind the other. */
    public static final class Blocks extends Distribution {

        private final long length;
        private final long before;
        private final long after;

        private Blocks(long length, long before, long after) {
            this.length = length;
            this.before = before;
            this.after = after;
        }

        /**
         * The same for arrays with ghost cells: each rank's block lies between copies of its neighbours' elements. A restart fills them with what
         * the neighbours had in their blocks. The ghost cells before the first block and behind the last, for boundary values, are brought back too.
         *
         * @param width elements before each block, and behind it
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
         * @param after elements behind each block
         * @return a distribution
         * @throws IllegalArgumentException a width is negative
         */
        public Blocks withGhosts(long before, long after) {
            requireAtLeast(0, Math.min(before, after), "width");
            return new Blocks(length, before, after);
        }

        @Override
        long places(int rank, int ranks) {
            return length < 0 ? -1 : before + start(rank + 1, ranks) - start(rank, ranks) + after;
        }

        private long start(int rank, int ranks) {
            return rank * (length / ranks) + Math.min(rank, length % ranks);
        }

        @Override
        Shares shares(long[] places) {
            int ranks = places.length;
            long[] starts = new long[ranks + 1];
            for (int rank = 0; rank < ranks; rank++) {
                long block = places[rank] - before - after;
                if (block < 0) {
                    throw new IllegalArgumentException(
                            "rank " + rank + " has " + places[rank] + " elements, which is less than its ghost cells");
                }
                starts[rank + 1] = starts[rank] + block;
            }
            return new Shares() {
                @Override
                public long length() {
                    return starts[ranks];
                }

                @Override
                public void owned(int rank, Sink sink) throws IOException {
                    long from = rank == 0 ? -before : starts[rank];
                    long to = rank == ranks - 1 ? starts[ranks] + after : starts[rank + 1];
                    sink.take(from, from - starts[rank] + before, to - from);
                }

                @Override
                public void held(int rank, Sink sink) throws IOException {
                    sink.take(starts[rank] - before, 0, places[rank]);
                }
            };
        }

        @Override
        public String toString() {
            String ghosts = before + after == 0 ? "" : ".withGhosts(" + before + ", " + after + ")";
            return (length < 0 ? "contiguous()" : "block(" + length + ")") + ghosts;
        }
    }

    private static final class Cyclic extends Distribution {

        private final long length;
        private final long blockLength;

        Cyclic(long length, long blockLength) {
            this.length = length;
            this.blockLength = blockLength;
        }

        @Override
        long places(int rank, int ranks) {
            long whole = length / blockLength;
            long blocks = whole / ranks + (rank < whole % ranks ? 1 : 0);
            return blocks * blockLength + (rank == whole % ranks ? length % blockLength : 0);
        }

        @Override
        Shares shares(long[] places) {
            return new Shares() {
                @Override
                public long length() {
                    return length;
                }

                @Override
                public void owned(int rank, Sink sink) throws IOException {
                    long place = 0;
                    for (long block = rank; place < places[rank]; block += places.length) {
                        long count = Math.min(blockLength, places[rank] - place);
                        sink.take(block * blockLength, place, count);
                        place += count;
                    }
                }
            };
        }

        @Override
        public String toString() {
            return "blockCyclic(" + length + ", " + blockLength + ")";
        }
    }

    private static final class Indexed extends Distribution {

        private final long length;
        private final IndexFunction function;

        Indexed(long length, IndexFunction function) {
            this.length = length;
            this.function = function;
        }

        @Override
        long places(int rank, int ranks) {
            long places = function.places(rank, ranks);
            requireAtLeast(0, places, "number of places of rank " + rank);
            return places;
        }

        @Override
        Shares shares(long[] places) {
            return new Shares() {
                @Override
                public long length() {
                    return length;
                }

                @Override
                public void owned(int rank, Sink sink) throws IOException {
                    long place = 0;
                    while (place < places[rank]) {
                        long element = element(rank, place, places);
                        long count = 1;
                        while (element >= 0
                                && place + count < places[rank]
                                && element(rank, place + count, places) == element + count) {
                            count++;
                        }
                        if (element >= 0) {
                            sink.take(element, place, count);
                        }
                        place += count;
                    }
                }
            };
        }

        private long element(int rank, long place, long[] places) {
            long element = function.index(rank, places.length, place);
            if (element < IndexFunction.NONE || element >= length) {
                throw new IllegalArgumentException("the index function gives element " + element + " for place " + place
                        + " of rank " + rank + " of " + places.length + ", and there are " + length);
            }
            return element;
        }

        @Override
        public String toString() {
            return "of(" + length + ", ...)";
        }
    }
}
