package io.drumlin.sion;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/** Rewrites a file, or a set of files, as one file in which every task has one chunk. Thread-safe. */
public final class SionCopy {

    private static final int PART = 1 << 20;

    private SionCopy() {}

    /**
     * Copies all tasks.
     *
     * @param source a file that this process opened with all its tasks
     * @param target the new file; an older one is replaced
     * @param fsBlockSize block size of the new file, above 0; 1 packs the tasks without gaps
     * @param options carry the storage engine that moves the bytes
     * @param progress receives the number of copied bytes after each part
     * @throws IOException a file cannot be read or written; the new file is then not readable
     */
    public static void defragment(
            SionInput source, Path target, int fsBlockSize, SionOptions options, LongConsumer progress)
            throws IOException {
        List<Integer> tasks = source.tasks();
        long[] sizes = new long[tasks.size()];
        long[] globalRanks = new long[tasks.size()];
        for (int task = 0; task < sizes.length; task++) {
            sizes[task] = source.reader(tasks.get(task)).size();
            globalRanks[task] = source.globalRank(tasks.get(task));
        }
        SionOptions copied = options.fsBlockSize(fsBlockSize)
                .metadataOrder(source.header().order())
                .payloadOrder(source.header().bigEndianPayload() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        SionOutput output =
                SionFile.create(target, sizes, globalRanks, source.header().keyValue() ? copied.keyValue() : copied);
        try {
            ByteBuffer part = ByteBuffer.allocateDirect(PART);
            for (int task = 0; task < sizes.length; task++) {
                SionReader reader = source.reader(tasks.get(task));
                while (reader.read(part.clear()) > 0) {
                    // The streams of records are copied unchanged.
                    output.stream(task).append(part.flip());
                    progress.accept(part.limit());
                }
                reader.close();
                output.stream(task).flush();
            }
        } catch (IOException e) {
            output.abandon();
            throw e;
        }
        output.close();
    }
}
