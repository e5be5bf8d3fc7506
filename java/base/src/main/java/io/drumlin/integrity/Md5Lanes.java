package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Computes MD5 (RFC 1321) of up to {@link #LANES} independent streams side by side.
 *
 * <p>A single MD5 stream cannot be made faster, but SIMD registers process several at once. Not thread-safe; each
 * checkpoint makes its own. {@code DigestEngine} chooses the implementation.
 */
public interface Md5Lanes extends AutoCloseable {

    /** Number of streams. */
    int LANES = 16;

    /** Bytes of a digest. */
    int DIGEST_LENGTH = 16;

    /**
     * Starts a new stream in a lane and discards the old one.
     *
     * @param lane 0 to {@link #LANES} - 1
     */
    void reset(int lane);

    /**
     * Appends bytes to the streams, in all lanes at once. It is fastest if the pieces have equal lengths and consist of
     * whole 64-byte blocks.
     *
     * @param pieces entry {@code i} goes to lane {@code i}, from position to limit, and does not change; {@code null}
     *     or empty for no bytes; at most {@link #LANES} entries; direct or heap
     */
    void update(List<? extends @Nullable ByteBuffer> pieces);

    /**
     * Deals bytes out to the lanes in turn: a piece to a lane, the next piece to the next lane, and after the last lane to
     * the first again. It is fastest if there are at least as many pieces as lanes.
     *
     * @param bytes from position to limit, and does not change; direct or heap
     * @param lane lane of the first piece
     * @param first bytes of the first piece, above 0
     * @param others bytes of each other piece, above 0; the last piece may have fewer
     */
    default void deal(ByteBuffer bytes, int lane, int first, int others) {
        @Nullable ByteBuffer[] pieces = new ByteBuffer[LANES];
        int next = lane;
        int at = bytes.position();
        int size = first;
        while (at < bytes.limit()) {
            Arrays.fill(pieces, null);
            for (int i = 0; i < LANES && at < bytes.limit(); i++) {
                pieces[next] = bytes.slice(at, Math.min(size, bytes.limit() - at));
                at += size;
                size = others;
                next = (next + 1) % LANES;
            }
            update(Arrays.asList(pieces));
        }
    }

    /**
     * Deals bytes out to the lanes in turn, and appends them to the first of other lanes. It is fastest if both are made
     * by {@link DigestEngine#md5()}, the bytes are direct, and the pieces are equally long.
     *
     * @param bytes from position to limit, and does not change; direct or heap
     * @param lane lane of the first piece
     * @param first bytes of the first piece, above 0
     * @param others bytes of each other piece, above 0; the last piece may have fewer
     * @param whole lanes of which the lane 0 gets all bytes; not these
     */
    default void deal(ByteBuffer bytes, int lane, int first, int others, Md5Lanes whole) {
        whole.update(List.of(bytes));
        deal(bytes, lane, first, others);
    }

    /**
     * Ends the stream in a lane. Call {@link #reset} before the lane is used again.
     *
     * @param lane 0 to {@link #LANES} - 1
     * @return the 16 bytes of the digest
     */
    byte[] digest(int lane);

    /** Releases native memory; a second call does nothing. */
    @Override
    void close();
}
