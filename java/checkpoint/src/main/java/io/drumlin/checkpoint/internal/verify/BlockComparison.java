package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.file.VariableParts;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Extracts chunks from a file that is read in whole blocks, and compares each block with the verified content. Not
 * thread-safe.
 */
final class BlockComparison implements ChunkSink {

    /**
     * Chunks that begin within this number of bytes share a part, so that not every small chunk costs the read of a
     * block.
     */
    private static final int LEAST_PART = 1 << 20;

    private final List<Part> parts = new ArrayList<>();

    /** A part of the file: whole blocks, and the chunks in them. */
    private static final class Part {
        private final BlockSums sums;
        private final VariableParts chunks = new VariableParts();
        private final long start;
        private long lastEnd;

        Part(BlockSums sums, Chunk first) {
            this.sums = sums;
            start = sums.floor(first.offset());
            lastEnd = start;
            add(first);
        }

        boolean takes(Chunk chunk) {
            return chunk.offset() >= lastEnd
                    && chunk.offset() < start + LEAST_PART
                    && sums.contain(chunk.offset(), chunk.length());
        }

        final void add(Chunk chunk) {
            chunks.add(chunk);
            lastEnd = chunk.offset() + chunk.length();
        }

        Chunk blocks(int number) {
            return new Chunk(number, 0, start, sums.ceiling(lastEnd) - start, Optional.empty());
        }
    }

    private final List<BlockSums.Pass> passes = new ArrayList<>();
    private final ChunkSink target;

    /**
     * @param ranges ranges of the file; each chunk is in one of them
     * @param target receives the bytes of the chunks
     */
    BlockComparison(List<BlockSums> ranges, List<Chunk> chunks, ChunkSink target) {
        this.target = target;
        TreeMap<Long, BlockSums> byOffset = new TreeMap<>();
        ranges.forEach(range -> byOffset.put(range.offset(), range));
        List<Chunk> ordered = chunks.stream()
                .filter(chunk -> chunk.length() > 0)
                .sorted(Comparator.comparingLong(Chunk::offset))
                .toList();
        Part last = null;
        for (Chunk chunk : ordered) {
            if (last != null && last.takes(chunk)) {
                last.add(chunk);
            } else {
                last = new Part(byOffset.floorEntry(chunk.offset()).getValue(), chunk);
                parts.add(last);
            }
        }
        parts.forEach(part -> passes.add(part.sums.compare(part.start)));
    }

    /** Returns the parts to read, as the chunks for {@link #take}. */
    List<Chunk> toRead() {
        List<Chunk> blocks = new ArrayList<>();
        for (Part part : parts) {
            blocks.add(part.blocks(blocks.size()));
        }
        return blocks;
    }

    @Override
    public void take(Chunk blocks, long position, ByteBuffer piece) {
        passes.get(blocks.id()).update(piece);
        parts.get(blocks.id()).chunks.scatter(blocks.offset() + position, piece, target);
    }

    /** @throws DamagedException a block differs from what was verified; the chunks may already have been copied */
    void requireSame(Path path) throws DamagedException {
        for (int i = 0; i < parts.size(); i++) {
            if (!passes.get(i).isSame()) {
                Chunk blocks = parts.get(i).blocks(i);
                throw DamagedException.of(path, blocks.offset(), blocks.length());
            }
        }
    }
}
