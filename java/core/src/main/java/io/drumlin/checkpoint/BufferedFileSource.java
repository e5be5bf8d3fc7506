package io.drumlin.checkpoint;

import io.drumlin.format.ByteSource;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.BlockFileSource;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.EnumSet;

/** A file that is read in many small pieces, most of them one behind the other. Not thread-safe. */
final class BufferedFileSource implements ByteSource, Closeable {

    private final BlockFile file;
    private final long size;
    private final ByteBuffer window = ByteBuffer.allocateDirect(1 << 20).limit(0);
    private long start;

    BufferedFileSource(StorageEngine storage, Path path) throws IOException {
        file = storage.open(path, EnumSet.of(OpenMode.READ));
        size = file.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        long at = offset;
        while (target.hasRemaining()) {
            if (at < start || at >= start + window.limit()) {
                fill(at);
            }
            int from = (int) (at - start);
            int length = Math.min(target.remaining(), window.limit() - from);
            target.put(window.slice(from, length));
            at += length;
        }
    }

    private void fill(long offset) throws IOException {
        window.clear().limit((int) Math.min(window.capacity(), size - offset));
        start = offset;
        BlockFileSource.readFully(file, offset, window);
        window.position(0);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
