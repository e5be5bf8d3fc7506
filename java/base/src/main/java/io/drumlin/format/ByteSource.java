package io.drumlin.format;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that can be read at any offset, usually a file. The implementation determines its thread-safety. */
public interface ByteSource {

    /**
     * Returns the number of bytes, the same at every call.
     *
     * @return number of bytes
     */
    long size();

    /**
     * Fills the remaining bytes of {@code target}.
     *
     * @param offset byte offset; {@code offset} plus the remaining bytes is at most {@link #size()}
     * @param target its position moves to its limit
     * @throws IOException the bytes cannot be read; {@code target} may be filled in part
     */
    void readFully(long offset, ByteBuffer target) throws IOException;
}
