package io.drumlin.format.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files that fuzzing starts from, and all that it ever tripped over. */
class FtiFfFuzzTest {

    static List<Path> files() throws IOException, URISyntaxException {
        Path folder = Path.of(
                Objects.requireNonNull(FtiFfFuzzTest.class.getResource("fuzz")).toURI());
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void readsEveryFile(Path file) throws IOException {
        FtiFfFuzz.fuzzerTestOneInput(Files.readAllBytes(file));
    }

    /** Whole files of every layout are among them: a fuzzer makes no digest by itself. */
    @Test
    void startsFromWholeFiles() throws IOException, URISyntaxException {
        List<Path> whole = files().stream()
                .filter(file -> file.getFileName().toString().endsWith(".fti"))
                .toList();
        assertThat(whole).hasSizeGreaterThanOrEqualTo(3 * Layout.values().length);
        for (Path file : whole) {
            assertThat(HostileFile.isDamaged(Files.readAllBytes(file)))
                    .as(file.toString())
                    .isFalse();
        }
    }
}
