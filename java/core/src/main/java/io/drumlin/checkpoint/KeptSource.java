package io.drumlin.checkpoint;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A file that is read once more, but for what was kept of it. Not thread-safe. */
final class KeptSource implements ByteSource {

    private final ByteSource file;
    private final Optional<KeptFile> kept;

    KeptSource(ByteSource file, Optional<KeptFile> kept) {
        this.file = file;
        this.kept = kept;
    }

    @Override
    public long size() {
        return file.size();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        if (kept.isEmpty()) {
            file.readFully(offset, target);
            return;
        }
        int limit = target.limit();
        long position = offset;
        while (target.hasRemaining()) {
            int length = kept.get().read(position, target);
            if (length == 0) {
                // What has no digest: metadata, and what is between the chunks.
                length = (int) Math.min(target.remaining(), kept.get().next(position) - position);
                file.readFully(position, target.limit(target.position() + length));
                target.limit(limit);
            }
            position += length;
        }
    }
}
