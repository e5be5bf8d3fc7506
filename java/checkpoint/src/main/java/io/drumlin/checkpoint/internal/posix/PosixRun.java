package io.drumlin.checkpoint.internal.posix;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.storage.StorageEngine;
import java.util.Optional;

/**
 * The common properties of the files of a run in the modes POSIX, MPI-IO, SIONlib and HDF5.
 *
 * @param mode mode of the run
 * @param shared writes level 4 in the modes in which all ranks share one file
 * @param content format of the other files
 */
record PosixRun(
        Mode mode,
        Optional<SharedFileWriter> shared,
        PosixFileFormat content,
        CheckpointDirectories places,
        StorageEngine storage,
        CheckpointReader reader) {

    /** Returns the writer of a level that is one file of all ranks; empty for other levels. */
    Optional<SharedFileWriter> shared(Level level) {
        return shared.filter(writer -> level == Level.L4);
    }
}
