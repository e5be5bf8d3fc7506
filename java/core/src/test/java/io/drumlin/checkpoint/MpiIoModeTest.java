package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;

class MpiIoModeTest extends IoModeContract implements SeparateMetadataContract, SharedFileContract {

    @Override
    int ioMode() {
        return 2;
    }

    @Override
    Path lastFileOfLevel4(RunFixture run, int ckptId) throws IOException {
        return run.file("Ckpt" + ckptId + "-mpiio.fti");
    }
}
