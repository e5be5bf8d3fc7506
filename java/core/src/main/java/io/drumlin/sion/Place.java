package io.drumlin.sion;

import io.drumlin.format.sion.ChunkLayout;
import io.drumlin.format.sion.Meta1;
import io.drumlin.storage.AlignedBuffer;
import java.nio.ByteBuffer;

/**
 * Where a task is in its physical file, as the process that knows the whole file tells the one that has the task.
 *
 * @param start where its chunk of block 0 is
 * @param chunkSize bytes of its chunk
 * @param globalSkip distance of two chunks
 * @param collector index in the file of the task that writes for it
 * @param groupEnd index behind that of the last task for which the same collector writes
 * @param fsBlockSize of the file
 */
record Place(long start, long chunkSize, long globalSkip, int collector, int groupEnd, int fsBlockSize) {

    static final int BYTES = 6 * Long.BYTES;

    static Place of(Meta1 meta1, ChunkLayout layout, int task) {
        int end = task + 1;
        while (end < meta1.tasks() && layout.collector(end) == layout.collector(task)) {
            end++;
        }
        return new Place(
                meta1.start(task),
                meta1.chunkSize(task),
                meta1.globalSkip(),
                layout.collector(task),
                end,
                meta1.header().fsBlockSize());
    }

    void put(ByteBuffer target) {
        target.putLong(start)
                .putLong(chunkSize)
                .putLong(globalSkip)
                .putLong(collector)
                .putLong(groupEnd)
                .putLong(fsBlockSize);
    }

    static Place get(ByteBuffer source) {
        return new Place(
                source.getLong(),
                source.getLong(),
                source.getLong(),
                (int) source.getLong(),
                (int) source.getLong(),
                (int) source.getLong());
    }

    /** Whether its chunks can be written past the page cache without touching others. */
    boolean isAligned() {
        int unit = AlignedBuffer.ALIGNMENT;
        return start % unit == 0 && chunkSize % unit == 0 && globalSkip % unit == 0;
    }
}
