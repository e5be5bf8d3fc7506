package io.drumlin.format.sion.internal;

/**
 * The second metadata block: the number of blocks of each task, and the number of bytes in each; docs/formats/sion.md,
 * section 6. It is written when the file is closed. Immutable.
 */
public final class Meta2 {

    private final int maxChunks;
    private final long[][] sizes;

    /**
     * Makes the block of a file that was read.
     *
     * @param maxChunks number of blocks in the file
     * @param sizes number of bytes in each block of each task; the array is kept
     */
    Meta2(int maxChunks, long[][] sizes) {
        this.maxChunks = maxChunks;
        this.sizes = sizes;
    }

    /**
     * Returns the size of the block, without the mapping that may follow.
     *
     * @param tasks number of tasks in the physical file
     * @param maxChunks number of blocks in the file
     * @return size in bytes of a count and {@code maxChunks} sizes for each task
     */
    public static long length(int tasks, int maxChunks) {
        return Long.BYTES * (long) tasks * (1L + maxChunks);
    }

    /**
     * Returns the number of blocks of the file.
     *
     * @return the largest number of blocks of a task
     */
    public int maxChunks() {
        return maxChunks;
    }

    /**
     * Returns the number of blocks of a task.
     *
     * @param task index in the physical file
     * @return 1 or more
     */
    public int blocks(int task) {
        return sizes[task].length;
    }

    /**
     * Returns the number of bytes in a chunk.
     *
     * @param task index in the physical file
     * @param block 0 to {@link #blocks} - 1
     * @return number of bytes
     */
    public long size(int task, int block) {
        return sizes[task][block];
    }

    /**
     * Returns the number of bytes in each chunk of a task.
     *
     * @param task index in the physical file
     * @return a copy, one number for each block
     */
    public long[] sizes(int task) {
        return sizes[task].clone();
    }
}
