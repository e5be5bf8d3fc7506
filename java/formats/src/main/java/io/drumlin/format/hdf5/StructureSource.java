package io.drumlin.format.hdf5;

import io.drumlin.format.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file of which everything except the elements is read. No byte belongs to two structures. So a reader that reads
 * twice as many bytes as there are follows addresses that were made to keep it busy.
 */
final class StructureSource implements ByteSource {

    private final ByteSource file;
    private long read;

    StructureSource(ByteSource file) {
        this.file = file;
    }

    @Override
    public long size() {
        return file.size();
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        read += target.remaining();
        if (read > 2 * file.size()) {
            throw Window.wrong("address", offset, "the structures of the file lie over each other");
        }
        file.readFully(offset, target);
    }
}
