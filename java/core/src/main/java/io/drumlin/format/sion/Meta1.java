package io.drumlin.format.sion;

import java.nio.ByteBuffer;

/**
 * The first metadata block: the header, and where each task's chunks are; docs/formats/sion.md, sections 2 and 4. It is
 * written when the file is opened, but for its tail, which is written when the file is closed. Immutable.
 */
public final class Meta1 {

    /** Bytes of the tail: maxchunks and start_of_varheader. */
    public static final int TAIL_LENGTH = Integer.BYTES + Long.BYTES;

    private static final int PER_TASK = 2 * Long.BYTES;

    private final Header header;
    private final long[] globalRanks;
    private final long[] chunkSizes;
    private final long[] starts;
    private final long globalSkip;

    /**
     * Places the chunks one behind the other.
     *
     * @param header of the file
     * @param globalRanks a number for each task
     * @param chunkSizes bytes of each task's chunk, as stored
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
     * Bytes of the whole block.
     *
     * @param tasks how many tasks the file has
     * @return with header, arrays and tail
     */
    public static long length(int tasks) {
        return Header.LENGTH + (long) PER_TASK * tasks + TAIL_LENGTH;
    }

    /**
     * The first multiple of a block size that is not below a value.
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
     * The header.
     *
     * @return what concerns the whole file
     */
    public Header header() {
        return header;
    }

    /**
     * How many tasks the physical file has.
     *
     * @return 1 or more
     */
    public int tasks() {
        return starts.length;
    }

    /**
     * The number that was stored for a task.
     *
     * @param task index in the physical file
     * @return usually the rank in the job that wrote
     */
    public long globalRank(int task) {
        return globalRanks[task];
    }

    /**
     * The room of a task in each block.
     *
     * @param task index in the physical file
     * @return bytes
     */
    public long chunkSize(int task) {
        return chunkSizes[task];
    }

    /**
     * Where a task's chunk of block 0 is.
     *
     * @param task index in the physical file
     * @return byte offset in the file
     */
    public long start(int task) {
        return starts[task];
    }

    /**
     * Where block 0 begins.
     *
     * @return byte offset in the file
     */
    public long startOfData() {
        return starts[0];
    }

    /**
     * The distance of two chunks of a task.
     *
     * @return bytes
     */
    public long globalSkip() {
        return globalSkip;
    }

    /**
     * Where META2 is.
     *
     * @param maxChunks blocks in the file
     * @return byte offset in the file
     */
    public long startOfVarheader(int maxChunks) {
        return Math.addExact(startOfData(), Math.multiplyExact(globalSkip, (long) maxChunks));
    }

    /**
     * Where the tail is.
     *
     * @return byte offset in the file, of a file of the present format
     */
    public long tailOffset() {
        return length(tasks()) - TAIL_LENGTH;
    }

    /**
     * The block without its tail, for the beginning of the file.
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
     * The tail, for {@link #tailOffset}.
     *
     * @param maxChunks blocks in the file
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
