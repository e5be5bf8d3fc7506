package io.drumlin.mpi;

import io.drumlin.comm.Mpirun;
import io.drumlin.fti.OutOfSpace;
import io.drumlin.storage.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link OutOfSpace} with processes as ranks, and MPI-IO. */
@Tag("native")
class OutOfSpaceIT {

    @BeforeEach
    void assumeNativeMpi() {
        MpiTests.assumeNativeMpi();
    }

    @Test
    void aFullDisk() throws IOException, InterruptedException {
        try (MountedFileSystem disk = MountedFileSystem.mount("tmpfs", OutOfSpace.DISK)) {
            OutOfSpace.onFullDisk(Mpirun.ranks(OutOfSpace.RANKS), disk.root());
        }
    }

    @Tag("soak")
    @Test
    void aLimitToTheSizeOfFiles(@TempDir Path directory) throws IOException, InterruptedException {
        OutOfSpace.withFileSizeLimit(Mpirun.ranks(OutOfSpace.RANKS), directory);
    }
}
