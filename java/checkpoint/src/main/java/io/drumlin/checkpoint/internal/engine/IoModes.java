package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.ftiff.FtiFfMode;
import io.drumlin.checkpoint.internal.hdf5.Hdf5Content;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.posix.PosixDifferential;
import io.drumlin.checkpoint.internal.posix.PosixFileFormat;
import io.drumlin.checkpoint.internal.posix.PosixMode;
import io.drumlin.checkpoint.internal.posix.RawContent;
import io.drumlin.checkpoint.internal.sharedfile.MpiIoFileWriter;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.sharedfile.SionFileWriter;
import io.drumlin.comm.Communicator;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.storage.StorageEngine;
import java.util.Optional;

/** Creates the {@link IoMode} that {@code ckpt_io} names. */
public final class IoModes {

    private IoModes() {}

    /**
     * Creates the mode of a configuration.
     *
     * @param places directories in which the mode looks for files
     * @param packing packing of new FTI-FF files
     */
    public static IoMode of(RankContext context, FtiConfig config, CheckpointDirectories places, Packing packing) {
        if (config.ioMode() == FtiConfig.IO_FTIFF) {
            return new FtiFfMode(context, places, config.layout(), packing, config.differential());
        }
        Communicator app = context.app();
        StorageEngine storage = context.storage();
        SlabPool slabs = context.slabs();
        Optional<SharedFileWriter> shared =
                switch (config.ioMode()) {
                    case FtiConfig.IO_MPI ->
                        Optional.of(new MpiIoFileWriter(app, storage, slabs, config.stripeHints()));
                    case FtiConfig.IO_SIONLIB -> Optional.of(new SionFileWriter(app, storage, slabs));
                    default -> Optional.empty();
                };
        PosixFileFormat content = config.ioMode() == FtiConfig.IO_HDF5
                ? new Hdf5Content(storage, slabs, config.h5Compression())
                : new RawContent();
        Optional<PosixDifferential> differential = config.ioMode() == FtiConfig.IO_POSIX
                ? config.differential()
                        .map(sizes -> new PosixDifferential(
                                storage, places, context.topology().fileRank(), sizes))
                : Optional.empty();
        return new PosixMode(context, config.ioMode(), shared, content, differential, places);
    }
}
