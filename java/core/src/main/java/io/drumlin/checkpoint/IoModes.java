package io.drumlin.checkpoint;

import io.drumlin.comm.Communicator;
import io.drumlin.format.ftiff.ContainerPlan.Packing;
import io.drumlin.storage.StorageEngine;
import java.util.Optional;

/** Makes the {@link IoMode} that {@code ckpt_io} names. */
final class IoModes {

    private IoModes() {}

    /**
     * The mode that a configuration asks for.
     *
     * @param topology where this rank stands
     * @param places where files are looked for
     * @param packing of new FTI-FF files
     */
    static IoMode of(
            FtiConfig config,
            Communicator app,
            Group group,
            Topology topology,
            CheckpointDirectories places,
            StorageEngine storage,
            SlabPool slabs,
            CheckpointReader reader,
            Refusals refusals,
            Packing packing) {
        if (config.ioMode() == FtiConfig.IO_FTIFF) {
            return new FtiFfMode(
                    app,
                    group,
                    topology,
                    places,
                    storage,
                    slabs,
                    reader,
                    refusals,
                    config.layout(),
                    packing,
                    config.differential());
        }
        Optional<SharedFileWriter> shared =
                switch (config.ioMode()) {
                    case FtiConfig.IO_MPI -> Optional.of(new MpiIoFileWriter(app, storage, slabs));
                    case FtiConfig.IO_SIONLIB -> Optional.of(new SionFileWriter(app, storage, slabs));
                    default -> Optional.empty();
                };
        FileContent content =
                config.ioMode() == FtiConfig.IO_HDF5 ? new Hdf5Content(storage, slabs) : new BareContent();
        Optional<PosixDifferential> differential = config.ioMode() == FtiConfig.IO_POSIX
                ? config.differential().map(sizes -> new PosixDifferential(storage, places, topology.fileRank(), sizes))
                : Optional.empty();
        return new PosixMode(
                config.ioMode(),
                app,
                group,
                topology,
                shared,
                content,
                differential,
                places,
                storage,
                slabs,
                reader,
                refusals);
    }
}
