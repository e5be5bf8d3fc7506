package io.drumlin.sion.internal;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.internal.files.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A file that this rank has opened alone through the carrier of its messages. Thread-safe. */
final class CarriedFile implements BlockFile {

    private final Path path;
    private final SharedFile file;

    CarriedFile(Path path, SharedFile file) {
        this.path = path;
        this.file = file;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public boolean direct() {
        return false;
    }

    @Override
    public int alignment() {
        return 1;
    }

    @Override
    public synchronized long size() throws IOException {
        return file.size();
    }

    @Override
    public synchronized void write(ByteBuffer source, long offset) throws IOException {
        file.writeAtAll(source, offset);
    }

    /** Writes at once: MPI may be called from one thread only. */
    @Override
    public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
        if (!source.isDirect()) {
            throw new IllegalArgumentException("a started write needs a direct buffer");
        }
        write(source, offset);
        return () -> {};
    }

    @Override
    public synchronized int read(ByteBuffer target, long offset) throws IOException {
        return file.readAtAll(target, offset);
    }

    @Override
    public void allocate(long size) {
        throw new UnsupportedOperationException("space is not reserved through MPI-IO");
    }

    /** Does nothing: the file is not direct. */
    @Override
    public void reserve(long offset, long length) {}

    /** Does nothing: MPI-IO has no call for it. */
    @Override
    public void startWriteback(long offset, long length) {}

    @Override
    public void truncate(long size) {
        throw new UnsupportedOperationException("the length is set where the metadata are written");
    }

    @Override
    public synchronized void sync() throws IOException {
        file.sync();
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
