package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.storage.StorageEngine;
import java.util.Optional;

/**
 * What the files of a run of the modes POSIX, MPI-IO, SIONlib and HDF5 have in common.
 *
 * @param ioMode {@link FtiConfig#ioMode}
 * @param shared writes level 4 in the modes in which it is one file of all ranks
 * @param content of the other files
 */
record PosixRun(
        int ioMode,
        Optional<SharedFileWriter> shared,
        PosixFileFormat content,
        CheckpointDirectories places,
        StorageEngine storage,
        CheckpointReader reader) {

    /** Writes a level in one file of all ranks, if that is so. */
    Optional<SharedFileWriter> shared(Level level) {
        return shared.filter(writer -> level == Level.L4);
    }
}
