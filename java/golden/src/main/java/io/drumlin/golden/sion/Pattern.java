package io.drumlin.golden.sion;

import java.nio.ByteBuffer;

/**
 * The bytes that the tasks of a case handed over.
 *
 * @param seed of the case
 */
public record Pattern(long seed) {

    /**
     * A part of what a task handed over.
     *
     * @param task its number in the pattern
     * @param first index of the first byte
     * @param length bytes
     */
    public record Segment(int task, long first, int length) {}

    /**
     * The bytes of a part.
     *
     * @param segment which
     * @return a heap buffer
     */
    public ByteBuffer bytes(Segment segment) {
        byte[] bytes = new byte[segment.length];
        for (int n = 0; n < bytes.length; n++) {
            long i = segment.first + n;
            bytes[n] = (byte) (seed + 131L * segment.task + 7 * i + 13 * (i >> 8) + 29 * (i >> 16));
        }
        return ByteBuffer.wrap(bytes);
    }
}
