package io.drumlin.sion.internal;

import io.drumlin.DrumlinException;
import java.util.Arrays;

/**
 * The blocks that a task has written, with the number of bytes used in each; docs/formats/sion.md, section 4. Does no
 * I/O. Not thread-safe.
 */
public final class TaskBlocks {

    private final long start;
    private final long globalSkip;
    private final long limit;
    private long[] used = new long[1];
    private int blocks = 1;

    /**
     * Begins with one empty block.
     *
     * @param start offset of the chunk of block 0
     * @param globalSkip distance between two chunks of the task, in bytes
     * @param limit usable bytes of a chunk
     */
    public TaskBlocks(long start, long globalSkip, long limit) {
        this.start = start;
        this.globalSkip = globalSkip;
        this.limit = limit;
    }

    /** Returns the usable bytes of a chunk. */
    public long limit() {
        return limit;
    }

    public int blocks() {
        return blocks;
    }

    public long used(int block) {
        return used[block];
    }

    /** Returns the number of bytes that still fit into the current block. */
    public long free() {
        return limit - used[blocks - 1];
    }

    /** Returns the file offset of the next byte. */
    public long offset() {
        return start + (blocks - 1) * globalSkip + used[blocks - 1];
    }

    /** Returns the offset at which the usable part of the chunk around {@code offset} ends. */
    long end(long offset) {
        return globalSkip == 0 ? start + limit : start + (offset - start) / globalSkip * globalSkip + limit;
    }

    /** Returns the number of bytes in all blocks. */
    public long size() {
        return Arrays.stream(used, 0, blocks).sum();
    }

    /**
     * Begins the next block if the bytes do not fit into the current one.
     *
     * @throws DrumlinException they do not fit into any block
     */
    public void ensure(long bytes) throws DrumlinException {
        requireRoom(bytes);
        if (bytes > free()) {
            open();
        }
    }

    /**
     * Refuses bytes that do not fit into any block.
     *
     * @throws DrumlinException they are more than a chunk holds
     */
    public void requireRoom(long bytes) throws DrumlinException {
        if (bytes > limit) {
            throw DrumlinException.during("write")
                    .range(-1, bytes)
                    .problem("a chunk of this task has " + limit + " bytes")
                    .advice("open the file with larger chunks, or write in smaller parts")
                    .exception();
        }
    }

    /** Begins the next block. */
    public void open() {
        if (blocks == used.length) {
            used = Arrays.copyOf(used, 2 * blocks);
        }
        blocks++;
    }

    /** Counts bytes that fit into the current block. */
    public void add(long bytes) {
        used[blocks - 1] += bytes;
    }

    /** Takes over the progress of another process that has written to the same chunks. */
    public void follow(int block, long usedNow) {
        while (blocks <= block) {
            open();
        }
        used[block] = usedNow;
    }
}
