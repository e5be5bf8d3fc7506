package io.drumlin.format.sion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that C SIONlib wrote, from {@code -Ddrumlin.golden}. Missing ones skip a test, on CI they fail it. */
public final class GoldenFiles {

    private GoldenFiles() {}

    /** The folder with a folder for each case. */
    public static Path root() {
        Path root = Path.of(System.getProperty("drumlin.golden", "golden"), "sion");
        boolean there = Files.isDirectory(root);
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as("golden files at %s", root).isTrue();
        }
        assumeTrue(there, () -> "no golden files at " + root);
        return root;
    }

    /** All physical files that are not in archives. */
    public static List<Path> all() throws IOException {
        try (Stream<Path> paths = Files.walk(root())) {
            return paths.filter(path -> path.getFileName().toString().contains(".sion"))
                    .sorted()
                    .toList();
        }
    }
}
