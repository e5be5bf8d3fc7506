package io.drumlin.checkpoint;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.LongConsumer;

/** An engine that tells how much is read. As thread-safe as the engine behind it and who is told. */
record WatchedEngine(StorageEngine engine, LongConsumer read) implements StorageEngine {

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        return new WatchedFile(engine.open(path, modes), read);
    }

    @Override
    public AlignedBuffer allocate(int size) {
        return engine.allocate(size);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        engine.rename(from, to);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        engine.syncDirectory(directory);
    }

    private record WatchedFile(BlockFile file, LongConsumer read) implements BlockFile {

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
            int count = file.read(target, offset);
            read.accept(count);
            return count;
        }

        @Override
        public PendingRead startRead(ByteBuffer target, long offset) throws IOException {
            PendingRead started = file.startRead(target, offset);
            return () -> {
                int count = started.await();
                read.accept(count);
                return count;
            };
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
}
