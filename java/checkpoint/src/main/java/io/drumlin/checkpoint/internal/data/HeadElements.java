package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.ElementType;
import java.nio.ByteBuffer;

/** The first bytes of a stored variable; the others are dropped. */
final class HeadElements extends Elements {

    private final ByteBuffer head;

    /** @param size bytes of the variable */
    HeadElements(long size, int kept) {
        super(ElementType.CHAR, size);
        head = ByteBuffer.allocate(kept);
    }

    /** Returns the first bytes, from position 0 on. */
    ByteBuffer head() {
        return head;
    }

    @Override
    void copyOut(long offset, ByteBuffer target) {
        throw new UnsupportedOperationException("only the first bytes of a stored variable are here");
    }

    @Override
    void copyIn(long offset, ByteBuffer source) {
        int length = (int) Math.max(0, Math.min(source.remaining(), head.capacity() - offset));
        if (length > 0) {
            head.put((int) offset, source, source.position(), length);
        }
        source.position(source.limit());
    }
}
