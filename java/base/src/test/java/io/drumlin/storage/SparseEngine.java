package io.drumlin.storage;

import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;

/**
 * A real engine whose new files have holes where zeros are written: for tests of files that are larger than the disk should
 * be. As thread-safe as the engine.
 */
public final class SparseEngine implements StorageEngine {

    private static final int BLOCK = 4096;
    private static final ByteBuffer ZEROS = ByteBuffer.allocate(BLOCK);

    private final StorageEngine real;

    public SparseEngine(StorageEngine real) {
        this.real = real;
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
        return new SparseFile(real.open(path, modes));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        real.rename(from, to);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        real.syncDirectory(directory);
    }

    private static final class SparseFile extends ForwardingFile {

        SparseFile(BlockFile file) {
            super(file);
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            ByteBuffer rest = source.slice();
            while (rest.hasRemaining()) {
                int at = rest.position();
                int length = Math.min(BLOCK, rest.remaining());
                ByteBuffer block = rest.slice(at, length);
                if (!block.equals(ZEROS.slice(0, length))) {
                    super.write(block, offset + at);
                }
                rest.position(at + length);
            }
            extend(offset + rest.limit());
        }

        private void extend(long size) throws IOException {
            if (size() < size) {
                truncate(size);
            }
        }

        @Override
        public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
            write(source, offset);
            return () -> {};
        }

        @Override
        public void allocate(long size) throws IOException {
            extend(size);
        }

        @Override
        public void reserve(long offset, long length) throws IOException {
            extend(offset + length);
        }
    }
}
