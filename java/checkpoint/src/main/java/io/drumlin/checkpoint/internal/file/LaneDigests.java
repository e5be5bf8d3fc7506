package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.integrity.Md5Lanes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes chunks and digests them at the same time: as many chunks side by side as there are lanes, one piece of each in
 * turn.
 */
public final class LaneDigests {

    /** The position up to which a chunk has been written. */
    public interface Cursor {

        /**
         * Writes the next piece and returns its bytes, which do not change until all pieces of the round are digested.
         */
        ByteBuffer next() throws IOException;

        boolean isAtEnd();
    }

    /** A chunk that is about to be written. */
    @FunctionalInterface
    public interface Start {
        Cursor of(Chunk chunk);
    }

    /** A step after a piece of each chunk was written, and before the pieces are digested. */
    @FunctionalInterface
    public interface Round {
        void written() throws IOException;
    }

    private LaneDigests() {}

    /** Writes chunks and returns their digests, in their order. */
    public static List<byte[]> of(List<Chunk> chunks, Md5Lanes md5, Start start, Round round) throws IOException {
        byte[][] hashes = new byte[chunks.size()][];
        @Nullable Cursor[] lanes = new Cursor[Md5Lanes.LANES];
        int[] chunkOfLane = new int[lanes.length];
        @Nullable ByteBuffer[] pieces = new ByteBuffer[lanes.length];
        List<@Nullable ByteBuffer> piecesOfLanes = Arrays.asList(pieces);
        Iterator<Chunk> waiting = chunks.iterator();
        int started = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (int lane = 0; lane < lanes.length; lane++) {
                Cursor cursor = lanes[lane];
                if (cursor == null && waiting.hasNext()) {
                    cursor = start.of(waiting.next());
                    chunkOfLane[lane] = started++;
                    md5.reset(lane);
                }
                lanes[lane] = cursor;
                pieces[lane] = cursor == null ? null : cursor.next();
                busy |= cursor != null;
            }
            round.written();
            md5.update(piecesOfLanes);
            for (int lane = 0; lane < lanes.length; lane++) {
                Cursor cursor = lanes[lane];
                if (cursor != null && cursor.isAtEnd()) {
                    hashes[chunkOfLane[lane]] = md5.digest(lane);
                    lanes[lane] = null;
                }
            }
        }
        return List.of(hashes);
    }
}
