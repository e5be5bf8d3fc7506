package io.drumlin.format.internal;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.util.List;

/**
 * Computes MD5 of parts of a source. Formats choose the parts; their callers choose the implementation, and so the
 * speed.
 */
@FunctionalInterface
public interface RangeDigester {

    /**
     * A part of a source.
     *
     * @param offset first byte
     * @param length length in bytes
     */
    record Range(long offset, long length) {}

    /**
     * Digests parts.
     *
     * @param source the bytes
     * @param ranges ranges within the source
     * @return MD5 of each part, 16 bytes, in the same order
     * @throws IOException the source cannot be read
     */
    List<byte[]> digest(ByteSource source, List<Range> ranges) throws IOException;
}
