package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * MD5 (RFC 1321) of up to {@link #LANES} independent streams side by side.
 *
 * <p>One stream of MD5 cannot be hurried, but SIMD registers take several at once. Not thread-safe; each checkpoint
 * makes its own. {@code DigestEngine} chooses the implementation.
 */
public interface Md5Lanes extends AutoCloseable {

    /** Number of streams. */
    int LANES = 16;

    /** Bytes of a digest. */
    int DIGEST_LENGTH = 16;

    /**
     * Starts a new stream in a lane, forgetting what was in it.
     *
     * @param lane 0 to {@link #LANES} - 1
     */
    void reset(int lane);

    /**
     * Appends bytes to the streams, all lanes at once. Fastest when the pieces are of equal length and of whole 64-byte
     * blocks.
     *
     * @param pieces entry {@code i} is what lane {@code i} gets, from position to limit, left unchanged; {@code null}
     *     or empty for none; at most {@link #LANES} entries; direct or heap
     */
    void update(List<? extends @Nullable ByteBuffer> pieces);

    /**
     * Ends the stream in a lane; {@link #reset} it before it is used again.
     *
     * @param lane 0 to {@link #LANES} - 1
     * @return the 16 bytes of the digest
     */
    byte[] digest(int lane);

    /** Gives native memory back; a second call does nothing. */
    @Override
    void close();
}
