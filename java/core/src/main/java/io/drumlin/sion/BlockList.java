package io.drumlin.sion;

import io.drumlin.DrumlinException;
import java.util.Arrays;

/**
 * Which blocks a task has written and how many bytes of each it used; docs/formats/sion.md, section 4. Knows no file. Not
 * thread-safe.
 */
final class BlockList {

    private final long start;
    private final long globalSkip;
    private final long limit;
    private long[] used = new long[1];
    private int blocks = 1;

    /**
     * Begins with one empty block.
     *
     * @param start where the chunk of block 0 is
     * @param globalSkip distance of two chunks
     * @param limit bytes of a chunk that may be used
     */
    BlockList(long start, long globalSkip, long limit) {
        this.start = start;
        this.globalSkip = globalSkip;
        this.limit = limit;
    }

    /** Bytes of a chunk that may be used. */
    long limit() {
        return limit;
    }

    int blocks() {
        return blocks;
    }

    long used(int block) {
        return used[block];
    }

    /** Bytes that fit into the present block. */
    long free() {
        return limit - used[blocks - 1];
    }

    /** Where in the file the next byte goes. */
    long offset() {
        return start + (blocks - 1) * globalSkip + used[blocks - 1];
    }

    /** Where the part of a chunk that may be used ends. */
    long end(long offset) {
        return globalSkip == 0 ? start + limit : start + (offset - start) / globalSkip * globalSkip + limit;
    }

    /** Bytes of all blocks. */
    long size() {
        return Arrays.stream(used, 0, blocks).sum();
    }

    /**
     * Gives up the rest of the present block if bytes do not fit into it.
     *
     * @throws DrumlinException they do not fit into any
     */
    void ensure(long bytes) throws DrumlinException {
        requireRoom(bytes);
        if (bytes > free()) {
            open();
        }
    }

    /**
     * Refuses what does not fit into any block.
     *
     * @throws DrumlinException it is larger than a chunk
     */
    void requireRoom(long bytes) throws DrumlinException {
        if (bytes > limit) {
            throw DrumlinException.during("write")
                    .range(-1, bytes)
                    .problem("a chunk of this task has " + limit + " bytes")
                    .advice("open the file with larger chunks, or write in smaller parts")
                    .exception();
        }
    }

    /** Begins the next block. */
    void open() {
        if (blocks == used.length) {
            used = Arrays.copyOf(used, 2 * blocks);
        }
        blocks++;
    }

    /** Counts bytes that fit into the present block. */
    void add(long bytes) {
        used[blocks - 1] += bytes;
    }

    /** Follows what another process did with the same chunks. */
    void follow(int block, long usedNow) {
        while (blocks <= block) {
            open();
        }
        used[block] = usedNow;
    }
}
