package io.drumlin.integrity;

import io.drumlin.format.ByteSource;
import io.drumlin.format.internal.RangeDigester;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Digests up to 16 ranges side by side, a slab of each at a time. Not thread-safe. */
public final class LaneDigester implements RangeDigester {

    private static final int SLAB = 1 << 20;

    private final List<ByteBuffer> slabs = new ArrayList<>();
    private int slabSize;
    private int turn;

    /** Makes a digester that allocates memory when it is used. */
    public LaneDigester() {}

    @Override
    public List<byte[]> digest(ByteSource source, List<Range> ranges) throws IOException {
        prepareSlabs(Math.min(Md5Lanes.LANES, ranges.size()), ranges);
        try (Md5Lanes lanes = DigestEngine.md5()) {
            return LanePass.of(ranges, lanes, range -> new Stream(source, range), () -> {});
        }
    }

    /** A range that is being digested. */
    private final class Stream implements LanePass.Cursor {

        private final ByteSource source;
        private final Range range;
        private long done;

        Stream(ByteSource source, Range range) {
            this.source = source;
            this.range = range;
        }

        @Override
        public ByteBuffer next() throws IOException {
            // A round has a piece of each stream at most, so it uses no slab twice.
            ByteBuffer slab = slabs.get(turn);
            turn = (turn + 1) % slabs.size();
            slab.clear().limit((int) Math.min(slab.capacity(), range.length() - done));
            source.readFully(range.offset() + done, slab);
            done += slab.limit();
            return slab.flip();
        }

        @Override
        public boolean isAtEnd() {
            return done == range.length();
        }
    }

    /** Allocates direct memory, which the lanes use without a copy, but no more than the ranges need. */
    private void prepareSlabs(int count, List<Range> ranges) {
        long longest = ranges.stream().mapToLong(Range::length).max().orElse(0);
        int needed = (int) Math.min(SLAB, Math.max(longest, 1));
        if (needed > slabSize) {
            slabs.clear();
            turn = 0;
            slabSize = needed;
        }
        while (slabs.size() < count) {
            slabs.add(ByteBuffer.allocateDirect(slabSize));
        }
    }
}
