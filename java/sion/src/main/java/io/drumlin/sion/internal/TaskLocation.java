package io.drumlin.sion.internal;

import io.drumlin.format.sion.Meta1;
import io.drumlin.format.sion.internal.ChunkLayout;
import io.drumlin.storage.AlignedBuffer;
import java.nio.ByteBuffer;

/**
 * The location of a task in its physical file. The process that lays out the file sends it to the process of the task.
 *
 * @param start offset of the task's chunk in block 0
 * @param chunkSize bytes of the chunk
 * @param globalSkip distance between two chunks of the task, in bytes
 * @param collector index in the file of the task that writes for this one
 * @param groupEnd index after the last task that has the same collector
 * @param fsBlockSize block size of the file system, in bytes
 */
public record TaskLocation(long start, long chunkSize, long globalSkip, int collector, int groupEnd, int fsBlockSize) {

    public static final int BYTES = 6 * Long.BYTES;

    public static TaskLocation of(Meta1 meta1, ChunkLayout layout, int task) {
        int end = task + 1;
        while (end < meta1.tasks() && layout.collector(end) == layout.collector(task)) {
            end++;
        }
        return new TaskLocation(
                meta1.start(task),
                meta1.chunkSize(task),
                meta1.globalSkip(),
                layout.collector(task),
                end,
                meta1.header().fsBlockSize());
    }

    public void put(ByteBuffer target) {
        target.putLong(start)
                .putLong(chunkSize)
                .putLong(globalSkip)
                .putLong(collector)
                .putLong(groupEnd)
                .putLong(fsBlockSize);
    }

    public static TaskLocation get(ByteBuffer source) {
        return new TaskLocation(
                source.getLong(),
                source.getLong(),
                source.getLong(),
                (int) source.getLong(),
                (int) source.getLong(),
                (int) source.getLong());
    }

    /** Returns whether the chunks can be written past the page cache without touching those of other tasks. */
    public boolean isAligned() {
        int unit = AlignedBuffer.ALIGNMENT;
        return start % unit == 0 && chunkSize % unit == 0 && globalSkip % unit == 0;
    }
}
