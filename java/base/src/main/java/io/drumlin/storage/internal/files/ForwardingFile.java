package io.drumlin.storage.internal.files;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file that forwards all calls to another one, as a base class for files that add something. It is as thread-safe as
 * the other file.
 */
public abstract class ForwardingFile implements BlockFile {

    private final BlockFile file;

    /**
     * Makes a forwarding file.
     *
     * @param file does the work; closed together with this file
     */
    protected ForwardingFile(BlockFile file) {
        this.file = file;
    }

    @Override
    public Path path() {
        return file.path();
    }

    @Override
    public boolean direct() {
        return file.direct();
    }

    @Override
    public int alignment() {
        return file.alignment();
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        return file.read(target, offset);
    }

    @Override
    public PendingRead startRead(ByteBuffer target, long offset) throws IOException {
        return file.startRead(target, offset);
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
        file.write(source, offset);
    }

    @Override
    public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
        return file.startWrite(source, offset);
    }

    @Override
    public void allocate(long size) throws IOException {
        file.allocate(size);
    }

    @Override
    public void reserve(long offset, long length) throws IOException {
        file.reserve(offset, length);
    }

    @Override
    public void startWriteback(long offset, long length) throws IOException {
        file.startWriteback(offset, length);
    }

    @Override
    public void truncate(long size) throws IOException {
        file.truncate(size);
    }

    @Override
    public void sync() throws IOException {
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
