package io.drumlin.checkpoint;

import java.nio.file.Path;

class FtiFfModeTest extends IoModeContract {

    @Override
    int ioMode() {
        return 3;
    }

    /** Behind the first page, where the first container begins; the file ends with metadata. */
    @Override
    int placeOfData(Path file) {
        return 4100;
    }
}
