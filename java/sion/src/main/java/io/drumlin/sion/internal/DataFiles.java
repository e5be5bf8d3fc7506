package io.drumlin.sion.internal;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Providers;
import io.drumlin.sion.SionIo;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.SharedFile;
import io.drumlin.storage.internal.files.SharedFile.Access;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Opens files for the data of tasks, with the storage engine or through MPI-IO.
 *
 * @param storage opens those that MPI-IO does not
 * @param world the ranks, through whose carrier MPI-IO goes
 * @param io which of the two is wanted
 * @param hints keys and values for MPI-IO
 */
public record DataFiles(StorageEngine storage, Communicator world, SionIo io, Map<String, String> hints) {

    /** Opens a file that exists. */
    BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        if (io == SionIo.MPI_IO) {
            Access access = modes.contains(OpenMode.WRITE) ? Access.WRITE : Access.READ;
            Optional<SharedFile> file = Providers.openAlone(world, path, access, hints);
            if (file.isPresent()) {
                return new CarriedFile(path, file.get());
            }
        }
        return storage.open(path, modes);
    }

    /**
     * Makes a file through MPI if there are hints, because a file gets its stripes when it is made. An older file is
     * deleted, which has its stripes already.
     */
    void make(Path path) throws IOException {
        if (io == SionIo.MPI_IO && !hints.isEmpty()) {
            Files.deleteIfExists(path);
            Optional<SharedFile> file = Providers.openAlone(world, path, Access.CREATE, hints);
            if (file.isPresent()) {
                file.get().close();
            }
        }
    }

    /** A file that this rank has opened alone through the carrier of its messages. Thread-safe. */
    private static final class CarriedFile implements BlockFile {

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
}
