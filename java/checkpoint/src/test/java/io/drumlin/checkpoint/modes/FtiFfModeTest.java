package io.drumlin.checkpoint.modes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Files of the layout A have no stamp. */
    @ParameterizedTest
    @ValueSource(strings = {"A", "E"})
    void noWrongBitIsInTheSizesOfOtherLayouts(String layout) throws IOException {
        WrongReads.requireRightSizes(make(Map.of("basic.group_size", "1", "drumlin.layout", layout)), true, 2);
    }
}
