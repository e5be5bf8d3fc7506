package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Computes the {@link BlockSums} of chunks of a file in one pass over their bytes. The bytes of each chunk must come in
 * order. Not thread-safe.
 */
final class BlockSumRecorder implements ChunkSink {

    private final List<BlockSums> ranges = new ArrayList<>();
    private final Map<Chunk, BlockSums.Pass> passes = new HashMap<>();

    /** @param slabBytes bytes of the slabs with which parts of the file will be read */
    BlockSumRecorder(List<Chunk> chunks, int slabBytes) {
        for (Chunk chunk : chunks) {
            BlockSums sums = new BlockSums(chunk, slabBytes);
            ranges.add(sums);
            passes.put(chunk, sums.record());
        }
    }

    @Override
    public void take(Chunk chunk, long position, ByteBuffer piece) {
        Objects.requireNonNull(passes.get(chunk)).update(piece);
    }

    /** Returns the checksums of each chunk, in their order; complete after all bytes have passed. */
    List<BlockSums> ranges() {
        return ranges;
    }
}
