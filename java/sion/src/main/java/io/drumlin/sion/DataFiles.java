package io.drumlin.sion;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Providers;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.SharedFile;
import io.drumlin.storage.internal.files.SharedFile.Access;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Opens files for the data of tasks, with the storage engine or through MPI-IO.
 *
 * @param world the ranks, through whose carrier MPI-IO goes
 */
record DataFiles(StorageEngine storage, Communicator world, SionOptions options) {

    /** Opens a file that exists. */
    BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
        if (options.io() == SionIo.MPI_IO) {
            Access access = modes.contains(OpenMode.WRITE) ? Access.WRITE : Access.READ;
            Optional<SharedFile> file = Providers.openAlone(world, path, access, options.hints());
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
        if (options.io() == SionIo.MPI_IO && !options.hints().isEmpty()) {
            Files.deleteIfExists(path);
            Optional<SharedFile> file = Providers.openAlone(world, path, Access.CREATE, options.hints());
            if (file.isPresent()) {
                file.get().close();
            }
        }
    }
}
