package io.drumlin.checkpoint.internal.dcp;

import io.drumlin.checkpoint.internal.config.DifferentialConfig;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Computes digests of blocks, by which a differential checkpoint finds out what has changed. Not thread-safe. */
public final class BlockDigests implements AutoCloseable {

    private static final int CRC_LENGTH = Integer.BYTES;

    private final boolean crc32;
    private final int blockSize;
    private final Md5Lanes md5 = DigestEngine.md5();
    private final CRC32 crc = new CRC32();

    public BlockDigests(DifferentialConfig config, int blockSize) {
        crc32 = config.crc32();
        this.blockSize = blockSize;
    }

    /** Returns the bytes of a digest. */
    int length() {
        return crc32 ? CRC_LENGTH : Md5Lanes.DIGEST_LENGTH;
    }

    int blockSize() {
        return blockSize;
    }

    /** Returns how many blocks a number of bytes has; the last may be shorter. */
    public int count(long bytes) {
        return Math.toIntExact((bytes + blockSize - 1) / blockSize);
    }

    /**
     * Digests the blocks of a window.
     *
     * @param window the remaining bytes are the window, which starts at the beginning of a block
     * @param target receives the digests one after the other, from {@code block * length()} on
     * @param block number of the first block
     */
    public void digest(ByteBuffer window, byte[] target, int block) {
        if (crc32) {
            for (int i = 0; i < count(window.remaining()); i++) {
                crc.reset();
                crc.update(block(window, i));
                ByteBuffer.wrap(target).putInt((block + i) * CRC_LENGTH, (int) crc.getValue());
            }
        } else {
            md5(window, target, block);
        }
    }

    /**
     * Computes the MD5 of each block of a window, also if blocks are compared by CRC32; otherwise like {@link #digest}.
     */
    public void md5(ByteBuffer window, byte[] target, int block) {
        int count = count(window.remaining());
        for (int first = 0; first < count; first += Md5Lanes.LANES) {
            int lanes = Math.min(Md5Lanes.LANES, count - first);
            List<ByteBuffer> pieces = new ArrayList<>(lanes);
            for (int lane = 0; lane < lanes; lane++) {
                md5.reset(lane);
                pieces.add(block(window, first + lane));
            }
            md5.update(pieces);
            for (int lane = 0; lane < lanes; lane++) {
                System.arraycopy(
                        md5.digest(lane),
                        0,
                        target,
                        (block + first + lane) * Md5Lanes.DIGEST_LENGTH,
                        Md5Lanes.DIGEST_LENGTH);
            }
        }
    }

    private ByteBuffer block(ByteBuffer window, int index) {
        int start = index * blockSize;
        return window.slice(window.position() + start, Math.min(blockSize, window.remaining() - start));
    }

    @Override
    public void close() {
        md5.close();
    }
}
