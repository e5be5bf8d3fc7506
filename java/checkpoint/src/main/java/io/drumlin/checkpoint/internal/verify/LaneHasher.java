package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.verify.LaneSchedule.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.integrity.StripedMd5;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hashes chunks side by side, one in each lane, round by round. Plain digests share one set of lanes, and each striped
 * one has a set of its own. Not thread-safe.
 */
public final class LaneHasher implements AutoCloseable {

    private final Md5Lanes md5;
    private final Map<Integer, StripedMd5> striped = new HashMap<>();

    /** What is hashed in a round, by lane. */
    private final List<@Nullable ByteBuffer> waiting = Arrays.asList(new ByteBuffer[Md5Lanes.LANES]);

    public LaneHasher() {
        this(DigestEngine.md5());
    }

    /**
     * Creates a hasher with the given lanes.
     *
     * @param md5 computes the plain digests; closed with this
     */
    public LaneHasher(Md5Lanes md5) {
        this.md5 = md5;
    }

    /** Allocates what a striped digest in a lane needs. Without this its first piece does. */
    public void prepare(int lane) {
        striped(lane);
    }

    private StripedMd5 striped(int lane) {
        return striped.computeIfAbsent(lane, unused -> new StripedMd5());
    }

    /** Receives the digest of a chunk that has one. */
    @FunctionalInterface
    public interface Result {
        /**
         * Receives the digest at the end of a chunk.
         *
         * @param last the last piece of the chunk
         * @param md5 the digest, lower-case hexadecimal
         */
        void of(Piece last, String md5) throws IOException;
    }

    /**
     * Hashes a round: at most one piece for each lane. A lane stays idle if its chunk has no digest to compare with.
     *
     * @param bytes bytes of each piece, in their order
     * @param ended receives the digests of chunks that end in this round
     */
    public void update(List<Piece> round, List<ByteBuffer> bytes, Result ended) throws IOException {
        try {
            for (int i = 0; i < round.size(); i++) {
                if (round.get(i).chunk().md5().isPresent()) {
                    add(round.get(i), bytes.get(i));
                }
            }
            md5.update(waiting);
        } finally {
            Collections.fill(waiting, null);
        }
        for (Piece piece : round) {
            if (piece.isLast() && piece.chunk().md5().isPresent()) {
                boolean plain = !piece.chunk().striped();
                byte[] digest =
                        plain ? md5.digest(piece.lane()) : striped(piece.lane()).digest();
                ended.of(piece, HexFormat.of().formatHex(digest));
            }
        }
    }

    private void add(Piece piece, ByteBuffer bytes) {
        boolean begins = piece.position() == 0;
        if (piece.chunk().striped()) {
            StripedMd5 own = striped(piece.lane());
            if (begins) {
                own.reset();
            }
            own.update(bytes);
            return;
        }
        if (begins) {
            md5.reset(piece.lane());
        }
        waiting.set(piece.lane(), bytes);
    }

    @Override
    public void close() {
        md5.close();
        striped.values().forEach(StripedMd5::close);
    }
}
