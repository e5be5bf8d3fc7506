package io.drumlin.checkpoint;

import java.nio.file.Path;

class FtiFfModeTest extends IoModeContract implements OtherRanksContract {

    @Override
    public int ioMode() {
        return 3;
    }

    @Override
    String nameOfMode() {
        return "FTI-FF";
    }

    /** Behind the first page, where the first container begins; the file ends with metadata. */
    @Override
    public int placeOfData(Path file) {
        return 4100;
    }
}
