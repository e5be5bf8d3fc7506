package io.drumlin.integrity;

import java.nio.ByteBuffer;
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
