package io.drumlin.format.kvtree;

import io.drumlin.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that SCR and the kvtree library wrote. */
public final class ScrGolden {

    private ScrGolden() {}

    public static Path root() {
        return Golden.path("scr");
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
