package io.drumlin.integrity;

import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.RangeDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Computes the striped MD5 of ranges, one after the other. Not thread-safe. */
public final class StripedDigester implements RangeDigester {

    private static final int SLAB = 1 << 20;

    /** Makes a digester that allocates memory when it is used. */
    public StripedDigester() {}

    @Override
    public List<byte[]> digest(ByteSource source, List<Range> ranges) throws IOException {
        ByteBuffer slab = ByteBuffer.allocateDirect(SLAB);
        List<byte[]> digests = new ArrayList<>();
        try (StripedMd5 md5 = new StripedMd5()) {
            for (Range range : ranges) {
                md5.reset();
                for (long done = 0; done < range.length(); done += slab.limit()) {
                    slab.clear().limit((int) Math.min(SLAB, range.length() - done));
                    source.readFully(range.offset() + done, slab);
                    md5.update(slab.flip());
                }
                digests.add(md5.digest());
            }
        }
        return digests;
    }
}
