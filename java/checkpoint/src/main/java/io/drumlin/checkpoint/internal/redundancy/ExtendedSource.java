package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A file as it enters a Reed-Solomon group: extended with zeros, and in some modes with its own size at the end
 * (docs/formats/fti-ff.md, section 7).
 */
final class ExtendedSource implements ByteSource {

    private final ByteSource file;
    private final long size;
    private final ByteBuffer ending;

    /**
     * @param size bytes of the extended file
     * @param embedsSize whether its last 8 bytes, little endian, hold the size of {@code file}
     */
    ExtendedSource(ByteSource file, long size, boolean embedsSize) {
        this.file = file;
        this.size = size;
        ending = ByteBuffer.allocate(embedsSize ? Long.BYTES : 0).order(ByteOrder.LITTLE_ENDIAN);
        if (embedsSize) {
            ending.putLong(0, file.size());
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        int limit = target.limit();
        int fromFile = (int) Math.max(0, Math.min(target.remaining(), file.size() - offset));
        if (fromFile > 0) {
            file.readFully(offset, target.limit(target.position() + fromFile));
            target.limit(limit);
        }
        long position = offset + fromFile;
        long endingStart = size - ending.capacity();
        while (target.hasRemaining()) {
            target.put(position < endingStart ? 0 : ending.get((int) (position - endingStart)));
            position++;
        }
    }
}
