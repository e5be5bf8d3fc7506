package io.drumlin.golden.gsd;

import io.drumlin.format.ByteSource;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file as the format reads it. */
final class PathSource implements ByteSource, Closeable {

    private final FileChannel channel;
    private final long size;

    PathSource(Path path) throws IOException {
        channel = FileChannel.open(path);
        size = channel.size();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public void readFully(long offset, ByteBuffer target) throws IOException {
        long at = offset;
        while (target.hasRemaining()) {
            int read = channel.read(target, at);
            if (read < 0) {
                throw new EOFException("the file ends at " + at);
            }
            at += read;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
