package io.drumlin.sion.internal;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** The metadata of a task at the process that reads it. */
public final class ReadTask {

    private final int task;
    private final Path file;
    private final int fileNumber;
    private final int localRank;
    private final long globalRank;
    private final long chunkSize;
    private final long start;
    private final long globalSkip;
    private final long[] sizes;

    /**
     * Describes a task.
     *
     * @param task index of the task in the set
     * @param file the physical file of the task
     * @param fileNumber number of that file in the set
     * @param localRank index of the task in that file
     * @param globalRank stored global rank
     * @param chunkSize size of a chunk in bytes
     * @param start offset of its chunk in block 0
     * @param globalSkip distance between two chunks of the task, in bytes
     * @param sizes bytes in each block; the array is kept, and may be filled in later
     */
    ReadTask(
            int task,
            Path file,
            int fileNumber,
            int localRank,
            long globalRank,
            long chunkSize,
            long start,
            long globalSkip,
            long[] sizes) {
        this.task = task;
        this.file = file;
        this.fileNumber = fileNumber;
        this.localRank = localRank;
        this.globalRank = globalRank;
        this.chunkSize = chunkSize;
        this.start = start;
        this.globalSkip = globalSkip;
        this.sizes = sizes;
    }

    /**
     * Makes a window for the data of the task.
     *
     * @param tasks the tasks of this process, which share its memory
     */
    public ReadWindow window(StorageEngine storage, BlockFile file, int tasks) throws IOException {
        StreamSlabs share = StreamSlabs.of(largestBlock(), tasks);
        return new ReadWindow(storage, file, share.bytes(), share.count(), this::next);
    }

    public int task() {
        return task;
    }

    public Path file() {
        return file;
    }

    public int fileNumber() {
        return fileNumber;
    }

    public int localRank() {
        return localRank;
    }

    public long globalRank() {
        return globalRank;
    }

    public long chunkSize() {
        return chunkSize;
    }

    public long start() {
        return start;
    }

    public long globalSkip() {
        return globalSkip;
    }

    /** Returns the number of bytes in each block. The array is not a copy. */
    public long[] sizes() {
        return sizes;
    }

    long largestBlock() {
        return Arrays.stream(sizes).max().orElse(0);
    }

    /**
     * Finds the task's next byte in the file.
     *
     * @param offset lowest offset of the byte
     * @return at least {@code offset}; -1 if there is none
     */
    long next(long offset) {
        long before = globalSkip == 0 ? 0 : Math.max(0, (offset - start) / globalSkip);
        for (int block = (int) Math.min(before, sizes.length); block < sizes.length; block++) {
            long begin = start + block * globalSkip;
            if (begin + sizes[block] > offset && sizes[block] > 0) {
                return Math.max(begin, offset);
            }
        }
        return -1;
    }
}
