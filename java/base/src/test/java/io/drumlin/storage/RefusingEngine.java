package io.drumlin.storage;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.files.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Predicate;

/** A real engine on which some files cannot be written. Thread-safe. */
public final class RefusingEngine implements StorageEngine {

    /** Why. */
    public enum Trouble {
        /** The disk is full. */
        ENOSPC,
        /** The file system was mounted read-only after an error. */
        EROFS,
        /** The directory is gone. */
        ENOENT,
        /** Writes seem to succeed, and the error comes when the file is synced. */
        EIO
    }

    private final StorageEngine real;
    private final Trouble trouble;
    private final Predicate<Path> files;

    /** @param files says of a path whether it cannot be written; asked once when it is opened, and when something gets its name */
    public RefusingEngine(StorageEngine real, Trouble trouble, Predicate<Path> files) {
        this.real = real;
        this.trouble = trouble;
        this.files = files;
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
        if (!modes.contains(OpenMode.WRITE) || !files.test(path)) {
            return real.open(path, modes);
        }
        if (trouble == Trouble.EROFS || trouble == Trouble.ENOENT) {
            throw refused(path);
        }
        return new RefusingFile(real.open(path, modes));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        if (trouble == Trouble.EROFS && files.test(to)) {
            throw refused(to);
        }
        real.rename(from, to);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        real.createDirectories(directory);
    }

    @Override
    public void delete(Path path) throws IOException {
        real.delete(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        real.syncDirectory(directory);
    }

    private DrumlinException refused(Path path) {
        return DrumlinException.during("refused write")
                .path(path)
                .errno(trouble.name())
                .exception();
    }

    private final class RefusingFile extends ForwardingFile {

        RefusingFile(BlockFile file) {
            super(file);
        }

        private void check(Trouble when) throws IOException {
            if (trouble == when) {
                throw refused(path());
            }
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            check(Trouble.ENOSPC);
            super.write(source, offset);
        }

        @Override
        public PendingWrite startWrite(ByteBuffer source, long offset) throws IOException {
            check(Trouble.ENOSPC);
            return super.startWrite(source, offset);
        }

        @Override
        public void allocate(long size) throws IOException {
            check(Trouble.ENOSPC);
            super.allocate(size);
        }

        @Override
        public void reserve(long offset, long length) throws IOException {
            check(Trouble.ENOSPC);
            super.reserve(offset, length);
        }

        @Override
        public void sync() throws IOException {
            check(Trouble.EIO);
            super.sync();
        }
    }
}
