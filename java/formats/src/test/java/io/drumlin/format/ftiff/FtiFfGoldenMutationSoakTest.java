package io.drumlin.format.ftiff;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** All files of C FTI that differ, every bit of them. */
@Tag("soak")
class FtiFfGoldenMutationSoakTest extends FtiFfMutations {

    @Override
    Stream<Specimen> files() throws IOException {
        return GoldenFiles.different().stream();
    }

    @Override
    int[] masks() {
        return FtiFfMutationTest.EVERY_BIT;
    }

    @Override
    int rounds() {
        return 2000;
    }
}
