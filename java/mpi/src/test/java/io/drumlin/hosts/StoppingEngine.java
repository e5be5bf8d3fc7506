package io.drumlin.hosts;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Stops before an operation that changes something, and waits there until its host is gone. Thread-safe. */
final class StoppingEngine implements StorageEngine {

    private final StorageEngine real;
    private final Runnable stop;
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);

    StoppingEngine(StorageEngine real, Runnable stop) {
        this.real = real;
        this.stop = stop;
    }

    /** Lets some more operations pass. */
    void stopAfter(long operations) {
        left.set(operations);
    }

    private void count() {
        if (left.getAndDecrement() == 0) {
            stop.run();
        }
    }

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public AlignedBuffer allocate(int size) {
        return real.allocate(size);
    }

    @Override
    public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        return new StoppingFile(real.open(path, modes));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        count();
        real.rename(from, to);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        count();
        real.createDirectories(directory);
    }

    @Override
    public void delete(Path path) throws IOException {
        count();
        real.delete(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        count();
        real.syncDirectory(directory);
    }

    private final class StoppingFile extends ForwardingFile {

        StoppingFile(BlockFile file) {
            super(file);
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            count();
            super.write(source, offset);
        }

        @Override
        public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
            count();
            return super.startWrite(source, offset);
        }

        @Override
        public void truncate(long size) throws IOException {
            count();
            super.truncate(size);
        }

        @Override
        public void sync() throws IOException {
            count();
            super.sync();
        }
    }
}
