package io.drumlin.checkpoint.internal.sharedfile;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A source that joins several sources one after the other. */
final class JoinedSource implements ByteSource {

    private final List<ByteSource> parts;

    JoinedSource(List<ByteSource> parts) {
        this.parts = List.copyOf(parts);
    }

    @Override
    public long size() {
        return parts.stream().mapToLong(ByteSource::size).sum();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        int limit = target.limit();
        long position = offset;
        long start = 0;
        for (ByteSource part : parts) {
            long left = start + part.size() - position;
            if (left > 0 && target.position() < limit) {
                int length = (int) Math.min(left, limit - target.position());
                part.readFully(position - start, target.limit(target.position() + length));
                target.limit(limit);
                position += length;
            }
            start += part.size();
        }
    }
}
