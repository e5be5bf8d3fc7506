package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that C FTI wrote, from {@code -Ddrumlin.golden}. Missing ones skip a test, on CI they fail it. */
final class GoldenCheckpoints {

    private GoldenCheckpoints() {}

    /** A folder of a collection, for example {@code fti-ff} or {@code fti-ff/l2-8r}. */
    static Path folder(String name) {
        Path folder = Path.of(System.getProperty("drumlin.golden", "golden"), name);
        boolean there = Files.isDirectory(folder);
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as("golden files at %s", folder).isTrue();
        }
        assumeTrue(there, () -> "no golden files at " + folder);
        return folder;
    }

    /** All FTI-FF files below a folder, in the order of their paths. */
    static List<Path> ftiFfFiles(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(path ->
                            path.getFileName().toString().matches("(Ckpt|dCPFile).*-(Rank|Pcof|RSed)\\d+\\.fti"))
                    .sorted()
                    .toList();
        }
    }
}
