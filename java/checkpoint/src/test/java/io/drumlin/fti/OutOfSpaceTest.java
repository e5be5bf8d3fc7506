package io.drumlin.fti;

import io.drumlin.comm.Mpirun;
import io.drumlin.storage.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link OutOfSpace} with threads of another process as ranks. */
class OutOfSpaceTest {

    @Tag("soak")
    @Test
    void aFullDisk() throws IOException, InterruptedException {
        try (MountedFileSystem disk = MountedFileSystem.mount("tmpfs", OutOfSpace.DISK)) {
            OutOfSpace.onFullDisk(Mpirun.withoutLauncher(), disk.root());
        }
    }

    @Tag("exhaustive")
    @Test
    void aLimitToTheSizeOfFiles(@TempDir Path directory) throws IOException, InterruptedException {
        OutOfSpace.withFileSizeLimit(Mpirun.withoutLauncher(), directory);
    }
}
