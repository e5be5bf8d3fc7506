package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.io.AlignedWriter;
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
                next = piece(lane, before.chunk, before.position + before.length);
            } else if (waiting.hasNext()) {
                next = piece(lane, waiting.next(), 0);
            }
            lanes[lane] = next;
            if (next != null) {
                round.add(next);
            }
        }
        return round;
    }

    private Piece piece(int lane, Chunk chunk, long position) {
        int lead = AlignedWriter.lead(chunk.offset() + position);
        return new Piece(lane, chunk, position, (int) Math.min(pieceBytes - lead, chunk.length() - position));
    }

    /**
     * A part of a chunk that is read at once.
     *
     * @param position where it begins in the chunk
     * @param length its bytes
     */
    public record Piece(int lane, Chunk chunk, long position, int length) {

        /** Returns where the piece begins in the file. */
        public long start() {
            return chunk.offset() + position;
        }

        /** Returns whether the chunk ends with the piece. */
        public boolean isLast() {
            return position + length == chunk.length();
        }

        /** Returns how many bytes precede the piece in its first block. */
        int lead() {
            return AlignedWriter.lead(start());
        }

        /** Returns the size of the whole blocks that contain the piece. */
        int window() {
            return (int) AlignedWriter.roundUp(lead() + length, AlignedWriter.BLOCK);
        }
    }
}
