package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The {@link BlockSums} of verified files, computed when the files were verified. Not thread-safe. */
public final class BlockSumTable {

    private final Map<FileIdentity, List<BlockSums>> files = new HashMap<>();
    private final int slabBytes;

    /** @param slabBytes bytes of the slabs with which files are read */
    BlockSumTable(int slabBytes) {
        this.slabBytes = slabBytes;
    }

    /** Returns a recorder for the checksums of chunks, whose result goes to {@link #put}. */
    BlockSumRecorder recorder(List<Chunk> chunks) {
        return new BlockSumRecorder(chunks, slabBytes);
    }

    void put(FileIdentity file, List<BlockSums> ranges) {
        files.put(file, ranges);
    }

    /** Returns the checksums of a file; empty if it was not verified, or was written afterwards. */
    public Optional<List<BlockSums>> of(Path path) throws IOException {
        return files.isEmpty() ? Optional.empty() : Optional.ofNullable(files.get(FileIdentity.of(path)));
    }

    /** Returns the checksums of a file if each of the chunks is in one of the ranges; empty otherwise. */
    Optional<List<BlockSums>> of(Path path, List<Chunk> chunks) throws IOException {
        return of(path).filter(ranges -> chunks.stream()
                .allMatch(chunk -> ranges.stream().anyMatch(range -> range.contain(chunk.offset(), chunk.length()))));
    }

    void forget() {
        files.clear();
    }
}
