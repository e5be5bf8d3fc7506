package io.drumlin.cli;

import io.drumlin.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files that C FTI wrote. */
public final class GoldenCheckpoints {

    private GoldenCheckpoints() {}

    /** A folder of a collection, for example {@code fti-ff} or {@code fti-ff/l2-8r}. */
    public static Path folder(String name) {
        return Golden.path(name);
    }

    /** All FTI-FF files below a folder, in the order of their paths. */
    public static List<Path> ftiFfFiles(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(path ->
                            path.getFileName().toString().matches("(Ckpt|dCPFile).*-(Rank|Pcof|RSed)\\d+\\.fti"))
                    .sorted()
                    .toList();
        }
    }
}
