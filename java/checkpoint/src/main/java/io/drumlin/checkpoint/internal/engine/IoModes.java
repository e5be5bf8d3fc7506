package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.Mode;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.ftiff.FtiFfMode;
import io.drumlin.checkpoint.internal.hdf5.Hdf5Content;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.posix.PosixDifferential;
import io.drumlin.checkpoint.internal.posix.PosixMode;
import io.drumlin.checkpoint.internal.posix.RawContent;
import io.drumlin.checkpoint.internal.sharedfile.MpiIoFileWriter;
import io.drumlin.checkpoint.internal.sharedfile.SharedFileWriter;
import io.drumlin.checkpoint.internal.sharedfile.SionFileWriter;
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
        Mode mode = config.mode();
        StorageEngine storage = context.storage();
        SlabPool slabs = context.slabs();
        SharedFileWriter shared =
                switch (mode) {
                    case MPI_IO -> new MpiIoFileWriter(context.app(), storage, slabs, config.stripeHints());
                    case SIONLIB -> new SionFileWriter(context.app(), storage, slabs);
                    case POSIX, FTI_FF, HDF5 -> null;
                };
        return switch (mode) {
            case FTI_FF -> new FtiFfMode(context, places, config.layout(), packing, config.differential());
            case POSIX, MPI_IO, SIONLIB, HDF5 ->
                new PosixMode(
                        context,
                        mode,
                        Optional.ofNullable(shared),
                        mode.bare() ? new RawContent() : new Hdf5Content(storage, slabs, config.h5Compression()),
                        config.differential()
                                .map(sizes -> new PosixDifferential(
                                        storage, places, context.topology().fileRank(), sizes)),
                        places);
        };
    }
}
