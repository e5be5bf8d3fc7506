package io.drumlin.integrity;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Digests ranges of bytes while they are read or written: as many side by side as there are lanes, one piece of each in
 * turn.
 */
public final class LanePass {

    /** The position up to which a range has been moved. */
    public interface Cursor {

        /**
         * Moves the next piece.
         *
         * @return its bytes, which do not change until all pieces of the round are digested
         * @throws IOException the bytes cannot be moved
         */
        ByteBuffer next() throws IOException;

        /**
         * Tells whether the range has no more bytes.
         *
         * @return false as long as {@link #next} has to be called
         */
        boolean isAtEnd();
    }

    /** A step after a piece of each range was moved, and before the pieces are digested. */
    @FunctionalInterface
    public interface Round {
        /**
         * Takes the step.
         *
         * @throws IOException the step failed
         */
        void moved() throws IOException;
    }

    private LanePass() {}

    /**
     * Moves ranges, which may be empty, and digests them.
     *
     * @param <T> a range
     * @param ranges the ranges, which begin in their order
     * @param md5 its lanes are used from the first on
     * @param start begins a range
     * @param round called for each round of pieces
     * @return MD5 of each range, in the same order
     * @throws IOException the bytes cannot be moved
     */
    public static <T> List<byte[]> of(List<T> ranges, Md5Lanes md5, Function<T, Cursor> start, Round round)
            throws IOException {
        byte[][] hashes = new byte[ranges.size()][];
        @Nullable Cursor[] lanes = new Cursor[Md5Lanes.LANES];
        int[] rangeOfLane = new int[lanes.length];
        @Nullable ByteBuffer[] pieces = new ByteBuffer[lanes.length];
        List<@Nullable ByteBuffer> piecesOfLanes = Arrays.asList(pieces);
        int started = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (int lane = 0; lane < lanes.length; lane++) {
                Cursor cursor = lanes[lane];
                if (cursor == null && started < hashes.length) {
                    cursor = start.apply(ranges.get(started));
                    rangeOfLane[lane] = started++;
                    md5.reset(lane);
                }
                lanes[lane] = cursor;
                pieces[lane] = cursor == null ? null : cursor.next();
                busy |= cursor != null;
            }
            round.moved();
            md5.update(piecesOfLanes);
            for (int lane = 0; lane < lanes.length; lane++) {
                Cursor cursor = lanes[lane];
                if (cursor != null && cursor.isAtEnd()) {
                    hashes[rangeOfLane[lane]] = md5.digest(lane);
                    lanes[lane] = null;
                }
            }
        }
        return List.of(hashes);
    }
}
