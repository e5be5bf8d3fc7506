package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lane whose stream has a striped MD5 and no plain one. Not thread-safe. */
public final class StripedLane implements Md5Lanes {

    private final StripedMd5 stripes = new StripedMd5();

    /** Makes the digest of an empty stream. */
    public StripedLane() {}

    @Override
    public void reset(int lane) {
        requireFirst(lane);
        stripes.reset();
    }

    @Override
    public void update(List<? extends @Nullable ByteBuffer> pieces) {
        for (int lane = 0; lane < pieces.size(); lane++) {
            ByteBuffer piece = pieces.get(lane);
            if (piece != null) {
                requireFirst(lane);
                stripes.update(piece);
            }
        }
    }

    /** Ends the stream and returns its striped MD5. */
    @Override
    public byte[] digest(int lane) {
        requireFirst(lane);
        return stripes.digest();
    }

    private static void requireFirst(int lane) {
        if (lane != 0) {
            throw new IllegalArgumentException("there is no lane " + lane + ", but lane 0 alone");
        }
    }

    @Override
    public void close() {
        stripes.close();
    }
}
