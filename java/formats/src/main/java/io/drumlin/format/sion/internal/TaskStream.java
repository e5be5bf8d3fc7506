package io.drumlin.format.sion.internal;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The bytes of a task: the contents of its blocks, joined. It is as thread-safe as the file from which it reads. */
public final class TaskStream implements ByteSource {

    private final ByteSource file;
    private final long start;
    private final long globalSkip;

    /** The position of each block in the stream, and the end of the last one. */
    private final long[] bounds;

    /**
     * Makes the stream of a task.
     *
     * @param file the physical file
     * @param start offset of its chunk of block 0
     * @param globalSkip distance between two chunks
     * @param sizes number of bytes in each block
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
     * Returns the number of blocks.
     *
     * @return number of blocks, including empty ones
     */
    public int blocks() {
        return bounds.length - 1;
    }

    /**
     * Returns the number of bytes in a block.
     *
     * @param block 0 to {@link #blocks} - 1
     * @return number of bytes
     */
    public long size(int block) {
        return bounds[block + 1] - bounds[block];
    }

    /**
     * Returns the position of a block in the stream.
     *
     * @param block 0 to {@link #blocks} - 1
     * @return position in the stream
     */
    public long position(int block) {
        return bounds[block];
    }

    /**
     * Returns the block that holds a byte.
     *
     * @param position position in the stream, below {@link #size}
     * @return the block
     */
    public int blockOf(long position) {
        int found = Arrays.binarySearch(bounds, position);
        int block = found >= 0 ? found : -found - 2;
        // An empty block begins at the same position as the next one.
        while (block + 1 < bounds.length && bounds[block + 1] <= position) {
            block++;
        }
        return block;
    }

    /**
     * Returns the location of a byte in the file.
     *
     * @param position position in the stream, below {@link #size}
     * @return byte offset in the file
     */
    public long fileOffset(long position) {
        int block = blockOf(position);
        return fileOffset(block, position - bounds[block]);
    }

    /**
     * Returns the location in the file of a byte of a block.
     *
     * @param block 0 to {@link #blocks} - 1
     * @param position position in the block
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
