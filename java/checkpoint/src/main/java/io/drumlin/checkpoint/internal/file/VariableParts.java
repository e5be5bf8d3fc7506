package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Parts of variables, sorted by their offset in a file. Not thread-safe. */
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

    /** Returns whether no byte of the file is in two parts; {@link #scatter} would copy it to only one of them. */
    public boolean areApart() {
        return apart;
    }

    /**
     * Copies the bytes of variables in a piece of the file.
     *
     * @param offset offset of the piece in the file
     * @param target receives the bytes
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
