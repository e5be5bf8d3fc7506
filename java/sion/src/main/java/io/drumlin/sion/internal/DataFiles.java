package io.drumlin.sion.internal;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Providers;
import io.drumlin.sion.SionIo;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.SharedFile;
import io.drumlin.storage.internal.files.SharedFile.Access;
import java.io.IOException;
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
}
