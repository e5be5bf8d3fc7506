package io.drumlin.checkpoint.internal.data;

import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A copy of the protected data, from which a checkpoint is taken while the program changes the data. Its memory, as
 * large as the largest copy so far, is kept for the next copy, because allocating it takes longer than copying. Not
 * thread-safe.
 */
public final class AsyncCopy implements AutoCloseable {

    /** A multiple of every element size, so that no element lies in two pieces. */
    private static final int PIECE_BYTES = 1 << 28;

    private static final int LEAST_PIECE_BYTES = 1 << 16;

    private final StorageEngine storage;
    private final List<AlignedBuffer> pieces = new ArrayList<>();
    private int piece;

    public AsyncCopy(StorageEngine storage) {
        this.storage = storage;
    }

    /**
     * Copies the present values, and the HDF5 groups with their present names. An earlier copy must not be used any
     * more.
     *
     * @throws IOException an object cannot be encoded
     */
    public Map<Integer, ProtectedData> copy(Map<Integer, ProtectedData> data) throws IOException {
        ProtectedData.prepare(data);
        piece = 0;
        pieces.forEach(memory -> memory.buffer().clear());
        Map<Integer, ProtectedData> copies = new LinkedHashMap<>();
        Map<RunGroup, RunGroup> groups = new HashMap<>();
        data.forEach((id, variable) -> {
            ProtectedData copy = variable.in(parts(variable));
            copy.dataset(variable.dataset().frozen(groups));
            copies.put(id, copy);
        });
        return copies;
    }

    private List<ByteBuffer> parts(ProtectedData variable) {
        List<ByteBuffer> parts = new ArrayList<>();
        for (long offset = 0; offset < variable.size(); ) {
            ByteBuffer part = space(variable.size() - offset, variable.width());
            variable.copyOut(offset, part);
            offset += part.position();
            parts.add(part.flip());
        }
        return parts;
    }

    /** Returns free memory for whole elements: as much as wanted, or the rest of a piece. */
    private ByteBuffer space(long wanted, int width) {
        while (true) {
            if (piece == pieces.size()) {
                long size = Math.max(LEAST_PIECE_BYTES, Math.min(PIECE_BYTES, wanted));
                pieces.add(storage.allocate((int) AlignedWriter.roundUp(size, AlignedBuffer.ALIGNMENT)));
            }
            ByteBuffer memory = pieces.get(piece).buffer();
            int start = (int) AlignedWriter.roundUp(memory.position(), width);
            int room = (memory.capacity() - start) / width * width;
            if (room > 0) {
                int length = (int) Math.min(wanted, room);
                memory.position(start + length);
                return memory.slice(start, length);
            }
            piece++;
        }
    }

    @Override
    public void close() {
        pieces.forEach(AlignedBuffer::close);
        pieces.clear();
    }
}
