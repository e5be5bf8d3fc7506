package io.drumlin.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A file channel as a block file. */
final class NioFile extends PositionalFile {

    /** The JDK copies heap memory through a direct buffer that the thread then keeps: this bounds its size. */
    private static final int HEAP_PIECE = 1 << 20;

    private final FileChannel channel;

    NioFile(Path path, FileChannel channel, int alignment) {
        super(path, alignment);
        this.channel = channel;
    }

    @Override
    int writeOnce(ByteBuffer source, long offset) throws IOException {
        return channel.write(piece(source), offset);
    }

    @Override
    int readOnce(ByteBuffer target, long offset) throws IOException {
        return channel.read(piece(target), offset);
    }

    @Override
    long length() throws IOException {
        return channel.size();
    }

    /** NIO has no fallocate, and filling the file would write everything twice. */
    @Override
    void reserve(long size) throws IOException {
        extend(size);
    }

    @Override
    void setLength(long size) throws IOException {
        if (!extend(size)) {
            channel.truncate(size);
        }
    }

    @Override
    void flush() throws IOException {
        channel.force(true);
    }

    @Override
    void release() throws IOException {
        channel.close();
    }

    private static ByteBuffer piece(ByteBuffer memory) {
        if (!memory.isDirect() && memory.remaining() > HEAP_PIECE) {
            memory.limit(memory.position() + HEAP_PIECE);
        }
        return memory;
    }

    /**
     * NIO makes a file longer by writing only: one block of zeros, behind the present end and on the last byte wanted,
     * then off with what is too much.
     */
    private boolean extend(long size) throws IOException {
        long present = channel.size();
        if (size <= present) {
            return false;
        }
        long mask = -(long) alignment();
        long block = Math.max((present + alignment() - 1) & mask, (size - 1) & mask);
        try (AlignedBuffer zeros = new DirectAlignedBuffer(alignment())) {
            ByteBuffer rest = zeros.buffer();
            while (rest.hasRemaining()) {
                channel.write(rest, block + rest.position());
            }
        }
        channel.truncate(size);
        return true;
    }
}
