package io.drumlin.format.ftiff;

import io.drumlin.Golden;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files that C FTI wrote. */
final class GoldenFiles {

    private GoldenFiles() {}

    static Path root() {
        return Golden.path("fti-ff");
    }

    /** All checkpoint files of a layout with one of the words in their names: Rank, Pcof, RSed. */
    static List<Path> of(Layout layout, String... words) throws IOException {
        try (Stream<Path> cases = Files.list(root())) {
            return cases.filter(directory -> isOf(layout, directory))
                    .flatMap(GoldenFiles::walk)
                    .filter(path -> Stream.of(words)
                            .anyMatch(word -> path.getFileName().toString().matches(".*-" + word + "\\d+\\.fti")))
                    .sorted()
                    .toList();
        }
    }

    /** All checkpoint files of all layouts, of equal ones the first; named by their path. */
    static List<Specimen> different() throws IOException {
        Map<ByteBuffer, Specimen> files = new LinkedHashMap<>();
        for (Layout layout : Layout.values()) {
            for (Path path : of(layout, "Rank", "Pcof", "RSed")) {
                byte[] bytes = Files.readAllBytes(path);
                if (!files.containsKey(ByteBuffer.wrap(bytes))) {
                    files.put(
                            ByteBuffer.wrap(bytes),
                            new Specimen(root().relativize(path).toString(), bytes));
                }
            }
        }
        return List.copyOf(files.values());
    }

    /** All checkpoint files of a case. */
    static List<Path> ofCase(String name) {
        return walk(root().resolve(name))
                .filter(path -> path.getFileName().toString().matches(".*-(Rank|Pcof|RSed)\\d+\\.fti"))
                .sorted()
                .toList();
    }

    private static boolean isOf(Layout layout, Path directory) {
        Path manifest = directory.resolve("manifest.json");
        try {
            return Files.exists(manifest)
                    && Pattern.compile("\"layout\"\\s*:\\s*\"" + layout + "\"")
                            .matcher(Files.readString(manifest))
                            .find();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Stream<Path> walk(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
