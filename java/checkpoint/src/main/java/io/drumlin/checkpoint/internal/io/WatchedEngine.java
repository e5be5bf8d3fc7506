package io.drumlin.checkpoint.internal.io;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.LongConsumer;

/** A storage engine that reports how much is read. As thread-safe as the underlying engine and the receiver. */
public record WatchedEngine(StorageEngine engine, LongConsumer read) implements StorageEngine {

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
    public void link(Path existing, Path link) throws IOException {
        engine.link(existing, link);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        engine.syncDirectory(directory);
    }

    private static final class WatchedFile extends ForwardingFile {

        private final LongConsumer read;

        WatchedFile(BlockFile file, LongConsumer read) {
            super(file);
            this.read = read;
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            int count = super.read(target, offset);
            read.accept(count);
            return count;
        }

        @Override
        public PendingRead startRead(ByteBuffer target, long offset) throws IOException {
            PendingRead started = super.startRead(target, offset);
            return () -> {
                int count = started.await();
                read.accept(count);
                return count;
            };
        }
    }
}
