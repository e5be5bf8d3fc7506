package io.drumlin.format.sion;

import java.nio.ByteBuffer;

/**
 * The first metadata block: the header, and the locations of each task's chunks; docs/formats/sion.md, sections 2 and
 * 4. It is written when the file is opened, except for its tail, which is written when the file is closed. Immutable.
 */
public final class Meta1 {

    /** Size of the tail in bytes: maxchunks and start_of_varheader. */
    public static final int TAIL_LENGTH = Integer.BYTES + Long.BYTES;

    private static final int PER_TASK = 2 * Long.BYTES;

    private final Header header;
    private final long[] globalRanks;
    private final long[] chunkSizes;
    private final long[] starts;
    private final long globalSkip;

    /**
     * Places the chunks one after the other.
     *
     * @param header header of the file
     * @param globalRanks a number for each task
     * @param chunkSizes size in bytes of each task's chunk, as stored
     * @throws ArithmeticException the chunks do not fit into a file of 2^63 bytes
     */
    public Meta1(Header header, long[] globalRanks, long[] chunkSizes) {
        if (globalRanks.length != chunkSizes.length) {
            throw new IllegalArgumentException(
                    globalRanks.length + " global ranks for " + chunkSizes.length + " chunk sizes");
        }
        this.header = header;
        this.globalRanks = globalRanks.clone();
        this.chunkSizes = chunkSizes.clone();
        this.starts = new long[chunkSizes.length];
        long start = roundUp(length(chunkSizes.length), header.fsBlockSize());
        long first = start;
        for (int task = 0; task < starts.length; task++) {
            starts[task] = start;
            start = Math.addExact(start, chunkSizes[task]);
        }
        this.globalSkip = start - first;
    }

    /**
     * Returns the size of the whole block.
     *
     * @param tasks number of tasks of the file
     * @return size in bytes of header, arrays and tail
     */
    public static long length(int tasks) {
        return Header.LENGTH + (long) PER_TASK * tasks + TAIL_LENGTH;
    }

    /**
     * Returns the smallest multiple of a block size that is not below a value.
     *
     * @param value 0 or above
     * @param block above 0
     * @return the multiple
     * @throws ArithmeticException it is above 2^63 - 1
     */
    public static long roundUp(long value, long block) {
        long over = value % block;
        return over == 0 ? value : Math.addExact(value, block - over);
    }

    /**
     * Returns the header.
     *
     * @return the part about the whole file
     */
    public Header header() {
        return header;
    }

    /**
     * Returns the number of tasks of the physical file.
     *
     * @return 1 or more
     */
    public int tasks() {
        return starts.length;
    }

    /**
     * Returns the stored number of a task.
     *
     * @param task index in the physical file
     * @return usually the rank of its writer in the writing job
     */
    public long globalRank(int task) {
        return globalRanks[task];
    }

    /**
     * Returns the chunk size of a task, its room in each block.
     *
     * @param task index in the physical file
     * @return size in bytes
     */
    public long chunkSize(int task) {
        return chunkSizes[task];
    }

    /**
     * Returns the location of a task's chunk of block 0.
     *
     * @param task index in the physical file
     * @return byte offset in the file
     */
    public long start(int task) {
        return starts[task];
    }

    /**
     * Returns the location of block 0.
     *
     * @return byte offset in the file
     */
    public long startOfData() {
        return starts[0];
    }

    /**
     * Returns the distance between two chunks of a task.
     *
     * @return distance in bytes
     */
    public long globalSkip() {
        return globalSkip;
    }

    /**
     * Returns the location of META2.
     *
     * @param maxChunks number of blocks in the file
     * @return byte offset in the file
     */
    public long startOfVarheader(int maxChunks) {
        return Math.addExact(startOfData(), Math.multiplyExact(globalSkip, (long) maxChunks));
    }

    /**
     * Returns the location of the tail.
     *
     * @return byte offset in a file of the current format
     */
    public long tailOffset() {
        return length(tasks()) - TAIL_LENGTH;
    }

    /**
     * Returns the block without its tail, for the beginning of the file.
     *
     * @return bytes, from position to limit
     */
    public ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(tailOffset())).order(header.order());
        header.put(bytes, tasks());
        bytes.asLongBuffer().put(globalRanks).put(chunkSizes);
        return bytes.clear();
    }

    /**
     * Returns the tail, for {@link #tailOffset}.
     *
     * @param maxChunks number of blocks in the file
     * @return bytes, from position to limit
     */
    public ByteBuffer encodeTail(int maxChunks) {
        return ByteBuffer.allocate(TAIL_LENGTH)
                .order(header.order())
                .putInt(maxChunks)
                .putLong(startOfVarheader(maxChunks))
                .flip();
    }
}
