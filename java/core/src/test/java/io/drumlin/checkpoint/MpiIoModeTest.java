package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;

class MpiIoModeTest extends IoModeContract implements OtherRanksContract, SeparateMetadataContract, SharedFileContract {

    @Override
    public int ioMode() {
        return 2;
    }

    @Override
    String nameOfMode() {
        return "MPI-IO";
    }

    @Override
    public Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-mpiio.fti");
    }
}
