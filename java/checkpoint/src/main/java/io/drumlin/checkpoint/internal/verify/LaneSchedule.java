package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.PartialBlocks;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.AlignedBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the chunks of a file are read: as many chunks side by side as there are lanes, one piece of each
 * at a time. Not thread-safe.
 */
public final class LaneSchedule {

    private final int pieceBytes;
    private final Iterator<Chunk> waiting;
    private final @Nullable Piece[] lanes = new Piece[Md5Lanes.LANES];

    /**
     * Plans the pieces in which chunks are read side by side.
     *
     * @param pieceBytes most bytes of a piece in whole blocks; a multiple of {@link AlignedBuffer#ALIGNMENT}
     */
    public LaneSchedule(List<Chunk> chunks, int pieceBytes) {
        this.pieceBytes = pieceBytes;
        waiting = chunks.iterator();
    }

    /** Returns at most one piece for each lane; none at the end. */
    public List<Piece> nextRound() {
        List<Piece> round = new ArrayList<>();
        for (int lane = 0; lane < lanes.length; lane++) {
            Piece before = lanes[lane];
            Piece next = null;
            if (before != null && !before.isLast()) {
                next = new Piece(lane, before.chunk, before.position + before.length, pieceBytes);
            } else if (waiting.hasNext()) {
                next = new Piece(lane, waiting.next(), 0, pieceBytes);
            }
            lanes[lane] = next;
            if (next != null) {
                round.add(next);
            }
        }
        return round;
    }

    /** A part of a chunk that is read at once. */
    public static final class Piece {
        private final int lane;
        private final Chunk chunk;
        private final long position;
        private final int length;

        private Piece(int lane, Chunk chunk, long position, int most) {
            this.lane = lane;
            this.chunk = chunk;
            this.position = position;
            int lead = (int) (start() % AlignedBuffer.ALIGNMENT);
            length = (int) Math.min(most - lead, chunk.length() - position);
        }

        int lane() {
            return lane;
        }

        public Chunk chunk() {
            return chunk;
        }

        /** Returns where the piece begins in the chunk. */
        public long position() {
            return position;
        }

        /** Returns the bytes of the piece. */
        public int length() {
            return length;
        }

        /** Returns where the piece begins in the file. */
        public long start() {
            return chunk.offset() + position;
        }

        boolean isLast() {
            return position + length == chunk.length();
        }

        /** Returns how many bytes precede the piece in its first block. */
        public int lead(int alignment) {
            return (int) (start() % alignment);
        }

        /** Returns the size of the whole blocks that contain the piece. */
        public int window(int alignment) {
            return (int) PartialBlocks.roundUp(lead(alignment) + length, alignment);
        }
    }
}
