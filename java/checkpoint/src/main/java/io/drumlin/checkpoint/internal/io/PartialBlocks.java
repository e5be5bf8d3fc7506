package io.drumlin.checkpoint.internal.io;

import io.drumlin.storage.AlignedBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The blocks of a file that contain more than one piece of data.
 *
 * <p>Direct writes move whole blocks. Where containers do not begin or end on block boundaries, and before the
 * metadata, the bytes of a shared block are collected here and written once, at the end. Bytes that are not put are
 * zero.
 */
public final class PartialBlocks {

    /** Bytes of a block: the most that direct writes may need, and a page for buffered writes. */
    public static final int BLOCK = AlignedBuffer.ALIGNMENT;

    private final Map<Long, byte[]> blocks = new TreeMap<>();

    /** Returns the first multiple of {@code alignment} that is not below {@code value}. */
    public static long roundUp(long value, int alignment) {
        return (value + alignment - 1) / alignment * alignment;
    }

    /** Adds the remaining bytes of {@code data}, which belong at {@code offset}. */
    public void put(long offset, ByteBuffer data) {
        ByteBuffer source = data.duplicate();
        long position = offset;
        while (source.hasRemaining()) {
            int start = (int) (position % BLOCK);
            int length = Math.min(BLOCK - start, source.remaining());
            byte[] block = blocks.computeIfAbsent(position - start, p -> new byte[BLOCK]);
            source.get(block, start, length);
            position += length;
        }
    }

    /** Writes all blocks. */
    public void write(CoalescingWriter run) throws IOException {
        for (Map.Entry<Long, byte[]> block : blocks.entrySet()) {
            run.add(block.getKey(), ByteBuffer.wrap(block.getValue()));
        }
        run.flush();
    }
}
