package io.drumlin.format.ftiff;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** One file of each snapshot and kind of C FTI: others of it differ in content only. */
@Tag("exhaustive")
class FtiFfGoldenMutationTest extends FtiFfMutations {

    private static final int LARGEST = 40_000;

    @Override
    Stream<Specimen> files() throws IOException {
        Map<String, Specimen> kinds = new TreeMap<>();
        for (Specimen file : GoldenFiles.different()) {
            if (file.bytes().length < LARGEST) {
                Path path = Path.of(file.toString());
                kinds.putIfAbsent(
                        path.subpath(0, 2) + path.getFileName().toString().replaceAll("\\d", ""), file);
            }
        }
        return kinds.values().stream();
    }

    @Override
    int[] masks() {
        return new int[] {0x01, 0x80};
    }

    @Override
    int rounds() {
        return 80;
    }
}
