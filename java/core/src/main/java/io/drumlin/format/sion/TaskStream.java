package io.drumlin.format.sion;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The bytes of a task: what is in its blocks, joined. As thread-safe as the file it reads from. */
public final class TaskStream implements ByteSource {

    private final ByteSource file;
    private final long start;
    private final long globalSkip;

    /** Where each block begins in the stream, and where the last one ends. */
    private final long[] bounds;

    /**
     * The bytes of a task.
     *
     * @param file the physical file
     * @param start where its chunk of block 0 is
     * @param globalSkip the distance of two chunks
     * @param sizes bytes in each block
     */
    public TaskStream(ByteSource file, long start, long globalSkip, long[] sizes) {
        this.file = file;
        this.start = start;
        this.globalSkip = globalSkip;
        this.bounds = new long[sizes.length + 1];
        for (int block = 0; block < sizes.length; block++) {
            bounds[block + 1] = bounds[block] + sizes[block];
        }
    }

    @Override
    public long size() {
        return bounds[bounds.length - 1];
    }

    /**
     * How many blocks there are.
     *
     * @return blocks, empty ones too
     */
    public int blocks() {
        return bounds.length - 1;
    }

    /**
     * How many bytes are in a block.
     *
     * @param block 0 to {@link #blocks} - 1
     * @return bytes
     */
    public long size(int block) {
        return bounds[block + 1] - bounds[block];
    }

    /**
     * Where a block begins in the stream.
     *
     * @param block 0 to {@link #blocks} - 1
     * @return position in the stream
     */
    public long position(int block) {
        return bounds[block];
    }

    /**
     * The block that holds a byte.
     *
     * @param position in the stream, below {@link #size}
     * @return the block
     */
    public int blockOf(long position) {
        int found = Arrays.binarySearch(bounds, position);
        int block = found >= 0 ? found : -found - 2;
        // Empty blocks begin where the next one does.
        while (block + 1 < bounds.length && bounds[block + 1] <= position) {
            block++;
        }
        return block;
    }

    /**
     * Where a byte is in the file.
     *
     * @param position in the stream, below {@link #size}
     * @return byte offset in the file
     */
    public long fileOffset(long position) {
        int block = blockOf(position);
        return fileOffset(block, position - bounds[block]);
    }

    /**
     * Where a byte of a block is in the file.
     *
     * @param block 0 to {@link #blocks} - 1
     * @param position in the block
     * @return byte offset in the file
     */
    public long fileOffset(int block, long position) {
        return start + block * globalSkip + position;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        int end = target.limit();
        long position = offset;
        while (target.position() < end) {
            int block = blockOf(position);
            int length = (int) Math.min(end - target.position(), bounds[block + 1] - position);
            target.limit(target.position() + length);
            file.readFully(fileOffset(block, position - bounds[block]), target);
            position += length;
        }
        target.limit(end);
    }
}
