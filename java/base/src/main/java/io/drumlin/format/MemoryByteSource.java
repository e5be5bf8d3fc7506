package io.drumlin.format;

import java.io.EOFException;
import java.nio.ByteBuffer;

/** The bytes of a buffer. Thread-safe as long as nobody changes the buffer. */
public final class MemoryByteSource implements ByteSource {

    private final ByteBuffer bytes;

    /**
     * Makes a source of the remaining bytes of a buffer, without a copy.
     *
     * @param bytes its position and limit bound the source; they are not changed
     */
    public MemoryByteSource(ByteBuffer bytes) {
        this.bytes = bytes.slice();
    }

    @Override
    public long size() {
        return bytes.capacity();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws EOFException {
        int length = target.remaining();
        if (offset < 0 || offset > bytes.capacity() - length) {
            throw new EOFException(length + " bytes at offset " + offset + " are not within " + bytes.capacity());
        }
        target.put(bytes.slice((int) offset, length));
    }
}
