package io.drumlin.integrity;

import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.RangeDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Digests up to 16 ranges side by side, a slab of each at a time. Not thread-safe. */
public final class LaneDigester implements RangeDigester {

    private static final int SLAB = 1 << 20;

    /** A range and the progress of its digest in a lane. */
    private static final class Stream {

        private final int index;
        private final Range range;
        private long done;

        Stream(int index, Range range) {
            this.index = index;
            this.range = range;
        }

        /** Reads the next slab of the range; empty at its end. */
        ByteBuffer read(ByteSource source, ByteBuffer slab) throws IOException {
            slab.clear().limit((int) Math.min(slab.capacity(), range.length() - done));
            source.readFully(range.offset() + done, slab);
            done += slab.limit();
            return slab.flip();
        }
    }

    private final List<ByteBuffer> slabs = new ArrayList<>();
    private int slabSize;

    /** Makes a digester that allocates memory when it is used. */
    public LaneDigester() {}

    @Override
    public List<byte[]> digest(ByteSource source, List<Range> ranges) throws IOException {
        byte[][] digests = new byte[ranges.size()][];
        @Nullable Stream[] streams = new Stream[Math.min(Md5Lanes.LANES, ranges.size())];
        prepareSlabs(streams.length, ranges);
        int next = 0;
        try (Md5Lanes lanes = DigestEngine.md5()) {
            for (int finished = 0; finished < ranges.size(); ) {
                List<@Nullable ByteBuffer> pieces = new ArrayList<>();
                for (int lane = 0; lane < streams.length; lane++) {
                    if (streams[lane] == null && next < ranges.size()) {
                        lanes.reset(lane);
                        streams[lane] = new Stream(next, ranges.get(next));
                        next++;
                    }
                    Stream stream = streams[lane];
                    pieces.add(stream == null ? null : stream.read(source, slabs.get(lane)));
                }
                lanes.update(pieces);
                for (int lane = 0; lane < streams.length; lane++) {
                    Stream stream = streams[lane];
                    if (stream != null && stream.done == stream.range.length()) {
                        digests[stream.index] = lanes.digest(lane);
                        streams[lane] = null;
                        finished++;
                    }
                }
            }
        }
        return Arrays.asList(digests);
    }

    /** Allocates direct memory, which the lanes use without a copy, but no more than the ranges need. */
    private void prepareSlabs(int count, List<Range> ranges) {
        long longest = ranges.stream().mapToLong(Range::length).max().orElse(0);
        int needed = (int) Math.min(SLAB, Math.max(longest, 1));
        if (needed > slabSize) {
            slabs.clear();
            slabSize = needed;
        }
        while (slabs.size() < count) {
            slabs.add(ByteBuffer.allocateDirect(slabSize));
        }
    }
}
