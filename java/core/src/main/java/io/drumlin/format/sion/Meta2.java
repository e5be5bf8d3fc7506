package io.drumlin.format.sion;

/**
 * The second metadata block: how many blocks each task has and how many bytes are in each; docs/formats/sion.md, section
 * 6. It is written when the file is closed. Immutable.
 */
public final class Meta2 {

    private final int maxChunks;
    private final long[][] sizes;

    /**
     * Of a file that was read.
     *
     * @param maxChunks blocks in the file
     * @param sizes bytes in each block of each task; becomes part of this
     */
    Meta2(int maxChunks, long[][] sizes) {
        this.maxChunks = maxChunks;
        this.sizes = sizes;
    }

    /**
     * Bytes of the block, without the mapping that may follow.
     *
     * @param tasks in the physical file
     * @param maxChunks blocks in the file
     * @return a count and {@code maxChunks} sizes for each task
     */
    public static long length(int tasks, int maxChunks) {
        return Long.BYTES * (long) tasks * (1L + maxChunks);
    }

    /**
     * How many blocks the file has.
     *
     * @return the largest number of blocks that a task has
     */
    public int maxChunks() {
        return maxChunks;
    }

    /**
     * How many blocks a task has.
     *
     * @param task index in the physical file
     * @return 1 or more
     */
    public int blocks(int task) {
        return sizes[task].length;
    }

    /**
     * How many bytes are in a chunk.
     *
     * @param task index in the physical file
     * @param block 0 to {@link #blocks} - 1
     * @return bytes
     */
    public long size(int task, int block) {
        return sizes[task][block];
    }

    /**
     * How many bytes are in each chunk of a task.
     *
     * @param task index in the physical file
     * @return a copy, one number for each block
     */
    public long[] sizes(int task) {
        return sizes[task].clone();
    }
}
