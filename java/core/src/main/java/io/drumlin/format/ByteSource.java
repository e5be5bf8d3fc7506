package io.drumlin.format;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that can be read at any offset, usually a file. Thread-safety is the implementation's matter. */
public interface ByteSource {

    /**
     * How many bytes there are. The same at every call.
     *
     * @return bytes
     */
    long size();

    /**
     * Fills the remaining bytes of {@code target}.
     *
     * @param offset byte offset; {@code offset} plus the remaining bytes is at most {@link #size()}
     * @param target its position moves to its limit
     * @throws IOException the bytes cannot be read; how far {@code target} was filled is unknown
     */
    void readFully(long offset, ByteBuffer target) throws IOException;
}
