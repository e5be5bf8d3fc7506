package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * Computes a digest of one stream with all lanes of {@link Md5Lanes}, several times as fast as the MD5 of the stream:
 * the MD5 of the MD5 digests of 16 stripes (docs/formats/fti-posix.md, section 9). Not thread-safe.
 */
public final class StripedMd5 implements AutoCloseable {

    /** Bytes of a block. Stripe i is made of the blocks i, i + 16, i + 32 and so on. */
    static final int BLOCK = 32 << 10;

    private final Md5Lanes lanes;
    private long length;

    /** Makes the digest of an empty stream. */
    public StripedMd5() {
        this(DigestEngine.md5());
    }

    /**
     * Makes the digest of an empty stream.
     *
     * @param lanes closed with this
     */
    StripedMd5(Md5Lanes lanes) {
        this.lanes = lanes;
        reset();
    }

    /** Starts a new stream and discards the old one. */
    public void reset() {
        for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
            lanes.reset(lane);
        }
        length = 0;
    }

    /**
     * Appends bytes to the stream. It is fastest if they are many, and begin at the start of a block.
     *
     * @param bytes from position to limit, and does not change; direct or heap
     */
    public void update(ByteBuffer bytes) {
        lanes.deal(bytes, stripe(), restOfBlock(), BLOCK);
        length += bytes.remaining();
    }

    /**
     * Appends bytes to the stream and to a plain one.
     *
     * @param bytes as for {@link #update(ByteBuffer)}
     * @param plain lanes of which the lane 0 gets them
     */
    void update(ByteBuffer bytes, Md5Lanes plain) {
        lanes.deal(bytes, stripe(), restOfBlock(), BLOCK, plain);
        length += bytes.remaining();
    }

    private int stripe() {
        return (int) (length / BLOCK % Md5Lanes.LANES);
    }

    private int restOfBlock() {
        return BLOCK - (int) (length % BLOCK);
    }

    /**
     * Ends the stream. Call {@link #reset} before the next one.
     *
     * @return the {@link Md5Lanes#DIGEST_LENGTH} bytes of the digest
     */
    public byte[] digest() {
        MessageDigest all = JavaMd5Lanes.md5();
        for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
            all.update(lanes.digest(lane));
        }
        return all.digest();
    }

    @Override
    public void close() {
        lanes.close();
    }
}
