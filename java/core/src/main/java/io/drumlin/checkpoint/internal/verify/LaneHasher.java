package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.integrity.StripedMd5;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hashes the chunks of a {@link LaneSchedule} round by round. Not thread-safe. */
public final class LaneHasher implements AutoCloseable {

    private final Md5Lanes md5;

    /** Digests of the chunks that have a striped one, by the lane of the schedule. Each uses lanes of its own. */
    private final Map<Integer, StripedMd5> striped = new HashMap<>();

    public LaneHasher() {
        this(DigestEngine.md5());
    }

    /**
     * Creates a hasher with the given lanes.
     *
     * @param md5 closed with this
     */
    public LaneHasher(Md5Lanes md5) {
        this.md5 = md5;
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
        @Nullable ByteBuffer[] hashed = new ByteBuffer[Md5Lanes.LANES];
        for (int i = 0; i < round.size(); i++) {
            Piece piece = round.get(i);
            if (piece.position() == 0) {
                reset(piece);
            }
            // A lane stays idle if its chunk has no digest to compare with.
            if (piece.chunk().md5().isPresent()) {
                if (piece.chunk().striped()) {
                    striped(piece).update(bytes.get(i));
                } else {
                    hashed[piece.lane()] = bytes.get(i);
                }
            }
        }
        md5.update(Arrays.asList(hashed));
        for (Piece piece : round) {
            if (piece.isLast() && piece.chunk().md5().isPresent()) {
                byte[] digest = piece.chunk().striped() ? striped(piece).digest() : md5.digest(piece.lane());
                ended.of(piece.chunk(), HexFormat.of().formatHex(digest));
            }
        }
    }

    private void reset(Piece piece) {
        if (piece.chunk().striped()) {
            striped(piece).reset();
        } else {
            md5.reset(piece.lane());
        }
    }

    private StripedMd5 striped(Piece piece) {
        return striped.computeIfAbsent(piece.lane(), lane -> new StripedMd5());
    }

    @Override
    public void close() {
        md5.close();
        striped.values().forEach(StripedMd5::close);
    }
}
