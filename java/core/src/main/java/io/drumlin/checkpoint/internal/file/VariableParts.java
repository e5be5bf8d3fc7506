package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Parts of variables by where they are in a file. Not thread-safe. */
public final class VariableParts {

    private final NavigableMap<Long, Chunk> parts = new TreeMap<>();
    private boolean apart = true;

    /** Adds a part. */
    public void add(Chunk part) {
        if (part.length() > 0) {
            Map.Entry<Long, Chunk> before = parts.floorEntry(part.offset() + part.length() - 1);
            apart &= before == null
                    || before.getValue().offset() + before.getValue().length() <= part.offset();
            parts.put(part.offset(), part);
        }
    }

    /** Whether no byte of the file is in two parts: {@link #scatter} would give it to one of them. */
    public boolean areApart() {
        return apart;
    }

    /**
     * Copies what a piece of the file has of the variables.
     *
     * @param offset of the piece in the file
     * @param target takes it
     */
    public void scatter(long offset, ByteBuffer piece, ChunkSink target) {
        long end = offset + piece.remaining();
        Long first = parts.floorKey(offset);
        for (Chunk part : parts.subMap(first == null ? offset : first, end).values()) {
            long from = Math.max(offset, part.offset());
            long to = Math.min(end, part.offset() + part.length());
            if (from < to) {
                ByteBuffer bytes = piece.slice(piece.position() + (int) (from - offset), (int) (to - from));
                target.take(part, from - part.offset(), bytes);
            }
        }
    }
}
