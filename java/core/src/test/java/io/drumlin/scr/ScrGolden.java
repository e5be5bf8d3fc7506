package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that SCR and the kvtree library wrote, from {@code -Ddrumlin.golden}. Missing ones skip a test, on CI they fail it. */
public final class ScrGolden {

    private ScrGolden() {}

    public static Path root() {
        Path root = Path.of(System.getProperty("drumlin.golden", "golden"), "scr");
        boolean there = Files.isDirectory(root);
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as("golden files at %s", root).isTrue();
        }
        assumeTrue(there, () -> "no golden files at " + root);
        return root;
    }

    /** All files below a directory of the golden root, sorted. */
    public static List<Path> files(String directory) throws IOException {
        try (Stream<Path> paths = Files.walk(root().resolve(directory))) {
            return paths.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Makes a copy that a test may change. */
    public static Path copy(String directory, Path target) throws IOException {
        Path from = root().resolve(directory);
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path copy = target.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(path, copy);
                }
            }
        }
        return target;
    }
}
