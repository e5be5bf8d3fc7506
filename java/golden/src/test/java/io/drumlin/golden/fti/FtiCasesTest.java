package io.drumlin.golden.fti;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That a case fails when one byte of one file is another, even if the manifest has the digest of the changed file. */
class FtiCasesTest {

    @TempDir
    Path directory;

    @Tag("exhaustive")
    @ParameterizedTest
    @ValueSource(strings = {"l2-8r", "l3-8r", "l4-mpiio-8r", "dcp-posix-4r", "keep-l4-8r", "heads-l4-8r", "names-4r"})
    void bytesOfFilesCount(String name) throws IOException {
        copy(golden(name), directory);
        assertThat(run(JSON.std.mapFrom(directory.resolve("manifest.json").toFile()))
                        .differences())
                .isEmpty();
        List<Path> data;
        try (Stream<Path> paths = Files.walk(directory.resolve("data"))) {
            data = paths.filter(Files::isRegularFile).toList();
        }
        List<Path> unnoticed = new ArrayList<>();
        // One of three files: for each of them all is read again.
        for (int i = new Random().nextInt(3); i < data.size(); i += 3) {
            Path file = data.get(i);
            byte[] original = Files.readAllBytes(file);
            byte[] changed = original.clone();
            changed[changed.length / 2] ^= 1;
            Files.write(file, changed);
            if (!run(manifestWith(file, changed)).isFailed()) {
                unnoticed.add(file);
            }
            Files.write(file, original);
        }
        assertThat(data).hasSizeGreaterThan(3);
        assertThat(unnoticed).isEmpty();
    }

    private Outcome run(Map<String, Object> manifest) throws IOException {
        return new FtiCases().run(directory, manifest);
    }

    private Map<String, Object> manifestWith(Path file, byte[] content) throws IOException {
        Map<String, Object> manifest =
                JSON.std.mapFrom(directory.resolve("manifest.json").toFile());
        String path = directory.relativize(file).toString();
        for (Object each : (List<?>) manifest.get("files")) {
            @SuppressWarnings("unchecked")
            Map<String, Object> entry = (Map<String, Object>) each;
            if (entry.get("path").equals(path)) {
                entry.put("sha256", sha256(content));
            }
        }
        return manifest;
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static Path golden(String name) {
        return Golden.path("fti-posix", name);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }
}
