package io.drumlin.integrity;

import io.drumlin.internal.MemoryFault;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link Md5Lanes} with the JDK's {@link MessageDigest}, one stream after the other. */
final class JavaMd5Lanes implements Md5Lanes {

    private final MessageDigest[] lanes = new MessageDigest[LANES];

    JavaMd5Lanes() {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = md5();
        }
    }

    /** Makes an empty stream. */
    static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(
                    "this JVM has no MD5, which FTI needs; a FIPS configuration of the JDK may have taken it away", e);
        }
    }

    @Override
    public void reset(int lane) {
        lanes[lane].reset();
    }

    @Override
    public void update(List<? extends @Nullable ByteBuffer> pieces) {
        DigestEngine.checkCount(pieces.size());
        int lane = 0;
        for (ByteBuffer piece : pieces) {
            if (piece != null) {
                lanes[lane].update(piece.duplicate());
                MemoryFault.throwPending(piece);
            }
            lane++;
        }
    }

    @Override
    public void deal(ByteBuffer bytes, int lane, int first, int others) {
        ByteBuffer piece = bytes.duplicate();
        int next = lane;
        int size = first;
        while (piece.position() < bytes.limit()) {
            piece.limit((int) Math.min((long) piece.position() + size, bytes.limit()));
            lanes[next].update(piece);
            size = others;
            next = (next + 1) % LANES;
        }
        MemoryFault.throwPending(bytes);
    }

    @Override
    public byte[] digest(int lane) {
        return lanes[lane].digest();
    }

    @Override
    public void close() {}
}
