package io.drumlin.format;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The first bytes of a source, or all of them followed by zeros. It is as thread-safe as the source. */
public final class ResizedSource implements ByteSource {

    private static final ByteBuffer ZEROS = ByteBuffer.allocate(4096).asReadOnlyBuffer();

    private final ByteSource source;
    private final long size;

    /**
     * Cuts or extends a source.
     *
     * @param source the source to cut or extend
     * @param size the new size in bytes, 0 or above
     */
    public ResizedSource(ByteSource source, long size) {
        this.source = source;
        this.size = size;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        int length = target.remaining();
        if (offset < 0 || offset > size - length) {
            throw new EOFException(length + " bytes at offset " + offset + " are not within " + size);
        }
        int end = target.limit();
        long there = Math.max(0, Math.min(length, source.size() - offset));
        target.limit(target.position() + (int) there);
        source.readFully(Math.min(offset, source.size()), target);
        target.limit(end);
        while (target.hasRemaining()) {
            target.put(ZEROS.slice(0, Math.min(ZEROS.capacity(), target.remaining())));
        }
    }
}
