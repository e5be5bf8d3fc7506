package io.drumlin.hostile;

import io.drumlin.hostile.Strike.Kind;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingRead;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** The engine of one rank, to which happens what {@link Faults} say. Thread-safe. */
final class HostileEngine implements StorageEngine {

    private final StorageEngine real;
    private final Faults faults;
    private final int rank;

    HostileEngine(StorageEngine real, Faults faults, int rank) {
        this.real = real;
        this.faults = faults;
        this.rank = rank;
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
        check(Kind.OPEN, path);
        return new HostileFile(real.open(path, modes));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        check(Kind.RENAME, from);
        real.rename(from, to);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        check(Kind.MAKE_DIRECTORY, directory);
        real.createDirectories(directory);
    }

    @Override
    public void delete(Path path) throws IOException {
        check(Kind.DELETE, path);
        real.delete(path);
    }

    @Override
    public void link(Path existing, Path link) throws IOException {
        check(Kind.RENAME, existing);
        real.link(existing, link);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        check(Kind.SYNC, directory);
        real.syncDirectory(directory);
    }

    private void check(Kind kind, Path path) throws IOException {
        faults.check(rank, kind, path);
    }

    private int flipped(Path path, ByteBuffer target, int start, int count) {
        if (count > 0 && faults.flips(rank, path)) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            int at = start + random.nextInt(count);
            target.put(at, (byte) (target.get(at) ^ 1 << random.nextInt(8)));
        }
        return count;
    }

    private final class HostileFile extends ForwardingFile {

        HostileFile(BlockFile file) {
            super(file);
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            boolean dead = faults.killed();
            try {
                check(Kind.WRITE, path());
            } catch (IOException failure) {
                if (!dead) {
                    // A write that fails, or that a kill ends, may have written a part.
                    int part = source.remaining() / 2;
                    super.write(source.slice(source.position(), part - part % alignment()), offset);
                }
                throw failure;
            }
            super.write(source, offset);
        }

        @Override
        public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
            try {
                check(Kind.WRITE, path());
            } catch (IOException failure) {
                return () -> {
                    throw failure;
                };
            }
            return super.startWrite(source, offset);
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            check(Kind.READ, path());
            int start = target.position();
            return flipped(path(), target, start, super.read(target, offset));
        }

        @Override
        public PendingRead startRead(ByteBuffer target, long offset) throws IOException {
            check(Kind.READ, path());
            int start = target.position();
            PendingRead read = super.startRead(target, offset);
            return () -> flipped(path(), target, start, read.await());
        }

        @Override
        public void allocate(long size) throws IOException {
            check(Kind.ALLOCATE, path());
            super.allocate(size);
        }

        @Override
        public void reserve(long offset, long length) throws IOException {
            check(Kind.ALLOCATE, path());
            super.reserve(offset, length);
        }

        @Override
        public void truncate(long size) throws IOException {
            check(Kind.WRITE, path());
            super.truncate(size);
        }

        @Override
        public void sync() throws IOException {
            check(Kind.SYNC, path());
            super.sync();
        }
    }
}
