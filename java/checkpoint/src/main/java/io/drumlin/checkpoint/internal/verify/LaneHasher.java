package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Hashes the chunks of a {@link LaneSchedule} round by round. Not thread-safe. */
public final class LaneHasher implements AutoCloseable {

    private final ChunkLanes lanes;

    public LaneHasher() {
        this(DigestEngine.md5());
    }

    /**
     * Creates a hasher with the given lanes.
     *
     * @param md5 closed with this
     */
    public LaneHasher(Md5Lanes md5) {
        lanes = new ChunkLanes(md5);
    }

    /** Receives the digest of a chunk that has one. */
    @FunctionalInterface
    public interface Result {
        /**
         * Receives the digest at the end of a chunk.
         *
         * @param md5 the digest, lower-case hexadecimal
         */
        void of(Chunk chunk, String md5) throws IOException;
    }

    /**
     * Hashes a round.
     *
     * @param bytes bytes of each piece, in their order
     * @param ended receives the digests of chunks that end in this round
     */
    public void update(List<Piece> round, List<ByteBuffer> bytes, Result ended) throws IOException {
        for (int i = 0; i < round.size(); i++) {
            Piece piece = round.get(i);
            // A lane stays idle if its chunk has no digest to compare with.
            if (piece.chunk().md5().isPresent()) {
                if (piece.position() == 0) {
                    lanes.begin(piece.lane(), piece.chunk());
                }
                lanes.add(piece.lane(), piece.chunk(), bytes.get(i));
            }
        }
        lanes.update();
        for (Piece piece : round) {
            if (piece.isLast() && piece.chunk().md5().isPresent()) {
                ended.of(piece.chunk(), lanes.digest(piece.lane(), piece.chunk()));
            }
        }
    }

    @Override
    public void close() {
        lanes.close();
    }
}
