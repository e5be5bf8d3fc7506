package io.drumlin.storage.internal;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Set;

/** A file channel as a block file. */
final class NioFile extends PositionalFile {

    /**
     * The JDK copies heap memory through a direct buffer that the thread then keeps. This bounds the size of that
     * buffer.
     */
    private static final int HEAP_PIECE = 1 << 20;

    private final FileChannel channel;
    private final boolean readable;
    private final boolean writable;

    NioFile(Path path, FileChannel channel, int alignment, Set<OpenMode> modes) {
        super(path, alignment);
        this.channel = channel;
        this.readable = modes.contains(OpenMode.READ);
        this.writable = modes.contains(OpenMode.WRITE);
    }

    @Override
    int writeOnce(ByteBuffer source, long offset) throws IOException {
        require(writable);
        return channel.write(piece(source), offset);
    }

    @Override
    int readOnce(ByteBuffer target, long offset) throws IOException {
        require(readable);
        return channel.read(piece(target), offset);
    }

    @Override
    long length() throws IOException {
        return channel.size();
    }

    /** NIO has no fallocate, and filling the file would write everything twice. */
    @Override
    void reserveTo(long size) throws IOException {
        require(writable);
        extend(size);
    }

    @Override
    void reserveRange(long offset, long length) throws IOException {
        require(writable);
    }

    @Override
    void writeBack(long offset, long length) throws IOException {
        require(writable);
    }

    @Override
    void setLength(long size) throws IOException {
        require(writable);
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

    /** The channel would throw an exception that is not an IOException; the kernel returns EBADF. */
    private static void require(boolean allowed) throws ErrnoException {
        if (!allowed) {
            throw new ErrnoException("channel", Errno.EBADF.number());
        }
    }

    private static ByteBuffer piece(ByteBuffer memory) {
        if (!memory.isDirect() && memory.remaining() > HEAP_PIECE) {
            memory.limit(memory.position() + HEAP_PIECE);
        }
        return memory;
    }

    /**
     * NIO can extend a file only by writing. This method writes one block of zeros that lies after the current end and
     * covers the last byte wanted, then cuts off the excess.
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
                if (channel.write(rest, block + rest.position()) <= 0) {
                    throw new IOException("the system wrote nothing and gave no reason");
                }
            }
        }
        channel.truncate(size);
        return true;
    }
}
