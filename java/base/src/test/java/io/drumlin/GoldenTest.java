package io.drumlin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoldenTest {

    private static final Path CASES = Path.of(System.getProperty("drumlin.root"), "java/golden/cases");

    @TempDir
    private Path folder;

    @Test
    void aMissingFileFailsATestWithWords() {
        assertThat(Golden.path("gsd", "v10_names", "file.gsd")).isRegularFile();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Golden.path("gsd", "nowhere"))
                .withMessageContaining(Path.of("gsd", "nowhere") + ".")
                .withMessageContaining("-Ddrumlin.golden");
    }

    @Test
    void allCasesPackedAgainAreTheSameBytes() throws IOException {
        Path plain = Golden.unpacked(CASES, folder);
        Golden.main(new String[] {plain.toString()});
        List<Path> packed = files(plain);
        assertThat(packed).hasSameSizeAs(files(CASES));
        for (Path file : packed) {
            assertThat(file).hasSameBinaryContentAs(CASES.resolve(plain.relativize(file)));
        }
    }

    @Test
    void anotherContentIsUnpackedElsewhere() throws IOException {
        Path cases = folder.resolve("cases/case");
        Path file = write(cases.resolve("a/é b.bin"), "one");
        write(cases.resolve("manifest.json"), "{}");
        Golden.pack(cases);
        assertThat(file.getParent()).doesNotExist();
        Path one = Golden.unpacked(folder.resolve("cases"), folder.resolve("build"));
        assertThat(one.resolve("case/a/é b.bin")).hasContent("one");

        assertThatIOException()
                .isThrownBy(() -> Golden.pack(write(file, "two").getParent().getParent()))
                .withMessageContaining("files.zip");
        assertThatIOException()
                .isThrownBy(() -> Golden.unpacked(folder.resolve("cases"), folder.resolve("build")))
                .withMessageContaining("files.zip: delete either");
        assertThat(folder.resolve("build"))
                .isDirectoryContaining(one::equals)
                .isDirectoryNotContaining("glob:**unpacking*");
        Files.delete(cases.resolve("files.zip"));
        Golden.pack(cases);
        Path two = Golden.unpacked(folder.resolve("cases"), folder.resolve("build"));
        assertThat(two.resolve("case/a/é b.bin")).hasContent("two");
        assertThat(one.resolve("case/a/é b.bin")).hasContent("one");
    }

    @Test
    void twoThatUnpackAtTheSameTimeMakeOneFolder() throws Exception {
        ExecutorService both = Executors.newFixedThreadPool(2);
        try {
            Callable<Path> unpack = () -> Golden.unpacked(CASES, folder);
            for (Future<Path> each : both.invokeAll(List.of(unpack, unpack))) {
                assertThat(each.get()).isNotEmptyDirectory();
            }
        } finally {
            both.shutdown();
        }
        assertThat(folder).isDirectoryContaining(each -> true).satisfies(build -> {
            try (Stream<Path> left = Files.list(build)) {
                assertThat(left).hasSize(1);
            }
        });
    }

    @Test
    void aLinkIsRefused() throws IOException {
        Files.createSymbolicLink(folder.resolve("link"), Path.of("manifest.json"));
        assertThatIOException().isThrownBy(() -> Golden.pack(folder)).withMessageContaining("link is neither");
    }

    @Test
    void aCaseWithinACaseIsRefused() throws IOException {
        write(folder.resolve("manifest.json"), "{}");
        Path inner = write(folder.resolve("inner/manifest.json"), "{}");
        assertThatIOException().isThrownBy(() -> Golden.pack(folder)).withMessageContaining("within a case");
        assertThat(inner).exists();
    }

    private static Path write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }
}
