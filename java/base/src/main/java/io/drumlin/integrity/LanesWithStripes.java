package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * MD5 lanes that also compute the striped MD5 of the stream in lane 0, in the same pass where that is faster. Not
 * thread-safe.
 */
public final class LanesWithStripes implements Md5Lanes {

    private final Md5Lanes lanes;
    private final StripedMd5 stripes = new StripedMd5();

    /** Pieces of all lanes but lane 0. Kept, because an update is made for each slab. */
    private final @Nullable ByteBuffer[] others = new ByteBuffer[LANES];

    private final List<@Nullable ByteBuffer> othersList = Arrays.asList(others);

    /**
     * Adds a striped digest to lanes.
     *
     * @param lanes closed with this
     */
    public LanesWithStripes(Md5Lanes lanes) {
        this.lanes = lanes;
    }

    @Override
    public void reset(int lane) {
        lanes.reset(lane);
        if (lane == 0) {
            stripes.reset();
        }
    }

    @Override
    public void update(List<? extends @Nullable ByteBuffer> pieces) {
        ByteBuffer first = pieces.isEmpty() ? null : pieces.get(0);
        if (first == null) {
            lanes.update(pieces);
            return;
        }
        DigestEngine.checkCount(pieces.size());
        stripes.update(first, lanes);
        try {
            for (int lane = 1; lane < pieces.size(); lane++) {
                others[lane] = pieces.get(lane);
            }
            lanes.update(othersList);
        } finally {
            Arrays.fill(others, null);
        }
    }

    @Override
    public byte[] digest(int lane) {
        return lanes.digest(lane);
    }

    /**
     * Ends the stream in lane 0.
     *
     * @return its striped MD5
     */
    public byte[] stripedDigest() {
        return stripes.digest();
    }

    @Override
    public void close() {
        lanes.close();
        stripes.close();
    }
}
