package io.drumlin.golden.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.golden.Json;
import io.drumlin.golden.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A golden snapshot copied under another exec_id stands for a run of ours; then it is damaged. */
class SnapshotComparisonTest {

    private static final String EXEC_ID = "00000000-1111-2222-3333-444444444444";

    @TempDir
    private Path produced;

    private Path golden;
    private Manifest.Snapshot snapshot;
    private Path checkpoint;

    @BeforeEach
    void copy() throws IOException {
        Path directory = Path.of(System.getProperty("drumlin.golden", "golden"), "fti-ff", "restart-grow");
        if ("true".equals(System.getenv("CI"))) {
            assertThat(directory).isDirectory();
        }
        assumeTrue(Files.isDirectory(directory), () -> "no golden files at " + directory);
        Manifest manifest = Manifest.of(
                Json.root(JSON.std.mapFrom(directory.resolve("manifest.json").toFile())));
        golden = directory.resolve("2");
        snapshot = manifest.snapshots().get("2");
        for (Manifest.SnapshotFile file : snapshot.files()) {
            Path target = produced.resolve(file.path().replace(snapshot.execId(), EXEC_ID));
            Files.createDirectories(target.getParent());
            if (file.checkpoint() == null) {
                String text = Files.readString(golden.resolve(file.path()));
                Files.writeString(target, "# ours\n" + text.replace(snapshot.execId(), EXEC_ID));
            } else {
                byte[] bytes = Files.readAllBytes(golden.resolve(file.path()));
                bytes[bytes.length - 1] = 0;
                Files.write(target, bytes);
                checkpoint = target;
            }
        }
    }

    private List<String> differences() throws IOException {
        Outcome outcome = new Outcome();
        new SnapshotComparison(produced, EXEC_ID, golden, snapshot, outcome).compare(false);
        return outcome.differences();
    }

    @Test
    void theSameRunUnderAnotherNameIsEqual() throws IOException {
        assertThat(differences()).isEmpty();
    }

    @Test
    void aByteOfDataDiffers() throws IOException {
        byte[] bytes = Files.readAllBytes(checkpoint);
        bytes[17]++;
        Files.write(checkpoint, bytes);
        assertThat(differences()).singleElement().asString().contains("byte 17");
    }

    @Test
    void whatIsMaskedMustFitTogether() throws IOException {
        byte[] bytes = Files.readAllBytes(checkpoint);
        bytes[bytes.length - 5]++; // the timestamp, which myHash covers
        Files.write(checkpoint, bytes);
        assertThat(differences()).singleElement().asString().contains("myHash");
        bytes[bytes.length - 5]--;
        bytes[bytes.length - 1] = 1;
        Files.write(checkpoint, bytes);
        assertThat(differences()).singleElement().asString().contains("last byte");
    }

    @Test
    void filesTooManyOrTooFewDiffer() throws IOException {
        Path more = checkpoint.resolveSibling("more");
        Files.createFile(more);
        assertThat(differences()).singleElement().asString().contains("files written", "more");
        Files.delete(more);
        Files.delete(checkpoint);
        assertThat(differences()).singleElement().asString().contains("files written");
    }

    @Test
    void configurationsDifferByContentOnly() throws IOException {
        Path config = produced.resolve("config.fti");
        String text = Files.readString(config);
        Files.writeString(config, text.replace(" = ", "="));
        assertThat(differences()).isEmpty();
        Files.writeString(config, text.replaceAll("failure( *)= 1", "failure$1= 2"));
        assertThat(differences()).singleElement().asString().contains("restart:failure=2");
    }

    @Test
    void callsAreTyped() throws IOException {
        Path root = golden.getParent().getParent();
        try (Stream<Path> cases = Files.list(root)) {
            for (Path directory : cases.filter(Files::isDirectory).toList()) {
                Manifest manifest = Manifest.of(Json.root(
                        JSON.std.mapFrom(directory.resolve("manifest.json").toFile())));
                assertThat(manifest.calls().steps().stream()
                                .filter(CallSequence.TakeSnapshot.class::isInstance)
                                .map(step -> ((CallSequence.TakeSnapshot) step).name()))
                        .as(directory.toString())
                        .containsExactlyElementsOf(manifest.snapshots().keySet());
                assertThat(manifest.calls().steps())
                        .as(directory.toString())
                        .filteredOn(CallSequence.Other.class::isInstance)
                        .allMatch(step ->
                                ((CallSequence.Other) step).text().matches("mkdir .*|exit without FTI_Finalize"));
            }
        }
    }
}
