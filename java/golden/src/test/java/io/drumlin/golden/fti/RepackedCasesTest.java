package io.drumlin.golden.fti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.checkpoint.fixture.Repacked;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.hdf5.Hdf5File;
import io.drumlin.golden.GoldenRunner;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What h5repack makes of C FTI's files comes back through the HDF5 library with the same values. */
@Tag("native")
class RepackedCasesTest {

    @TempDir
    private Path directory;

    @BeforeAll
    static void loadLibrary() throws IOException {
        Repacked.requireLibrary();
    }

    /** The datasets of the releases between the oldest and the newest are those of these two. */
    private static List<String> cases() throws IOException {
        return GoldenRunner.cases(Golden.path("fti-hdf5")).stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> !name.matches("v1\\.[2-5].*"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void compressedInTheNewestFormat(String name) throws IOException {
        Path golden = Golden.path("fti-hdf5", name);
        try (Stream<Path> paths = Files.walk(golden)) {
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                Path copy = directory.resolve(golden.relativize(path).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(path, copy);
            }
        }
        Repacked.repack(directory, "--latest -f GZIP=6", false);
        Manifest manifest = Manifest.of(
                Json.root(JSON.std.mapFrom(directory.resolve("manifest.json").toFile())));
        for (Manifest.StoredFile file : manifest.files()) {
            if (file.path().contains("-Rank")) {
                byte[] bytes = Files.readAllBytes(directory.resolve(file.path()));
                assertThatThrownBy(() -> Hdf5File.read(new MemoryByteSource(ByteBuffer.wrap(bytes))))
                        .isInstanceOf(FormatException.class);
            }
        }
        Outcome outcome = new Outcome();
        new Restarts(directory, manifest.withoutLosses(), outcome).restart();
        assertThat(outcome.differences()).isEmpty();
        assertThat(outcome.summary()).contains("1 restarts");
    }
}
