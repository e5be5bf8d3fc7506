package io.drumlin.format.sion.internal;

import io.drumlin.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that C SIONlib wrote. */
public final class GoldenFiles {

    private GoldenFiles() {}

    /** The folder with a folder for each case. */
    public static Path root() {
        return Golden.path("sion");
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
