package io.drumlin.golden.ftiff;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.ftiff.FileMeta;
import io.drumlin.format.ftiff.FtiFfFile;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.PlacedFile;
import io.drumlin.format.ftiff.Stamp;
import io.drumlin.golden.base.Json;
import io.drumlin.golden.base.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A golden snapshot copied under another exec_id stands for a run of ours; then it is damaged. */
class SnapshotComparisonTest {

    private static final String EXEC_ID = "00000000-1111-2222-3333-444444444444";

    @TempDir
    private Path produced;

    private Path golden;
    private Manifest manifest;
    private Manifest.Snapshot snapshot;
    private Path checkpoint;

    @BeforeEach
    void copy() throws IOException {
        copy("restart-grow", "2");
    }

    private void copy(String name, String snapshotName) throws IOException {
        Path directory = Golden.path("fti-ff", name);
        manifest = Manifest.of(
                Json.root(JSON.std.mapFrom(directory.resolve("manifest.json").toFile())));
        golden = directory.resolve(snapshotName);
        snapshot = manifest.snapshots().get(snapshotName);
        for (Manifest.SnapshotFile file : snapshot.files()) {
            Path target = produced.resolve(file.path().replace(snapshot.execId(), EXEC_ID));
            Files.createDirectories(target.getParent());
            if (file.checkpoint() == null) {
                String text = Files.readString(golden.resolve(file.path()));
                Files.writeString(target, "# ours\n" + text.replace(snapshot.execId(), EXEC_ID));
            } else {
                byte[] bytes = Files.readAllBytes(golden.resolve(file.path()));
                stamp(bytes, file.checkpoint());
                Files.write(target, bytes);
                checkpoint = target;
            }
        }
    }

    /** As Drumlin writes it. */
    private static void stamp(byte[] bytes, Manifest.CheckpointFile checkpoint) throws IOException {
        FtiFfFile file = FtiFfFile.read(new MemoryByteSource(ByteBuffer.wrap(bytes)));
        Layout layout = file.layout();
        FileMeta meta = file.meta();
        Stamp stamp = Stamp.of(1_700_000_000_000_000_000L, checkpoint.ckptId(), checkpoint.contentRank());
        FileMeta sealed = file.encoded()
                ? layout.sealEncoded(
                        meta.checksum(), checkpoint.ckptId(), stamp.timestamp(), meta.ckptSize(), meta.maxFs())
                : PlacedFile.of(layout, file.blocks())
                        .seal(meta.checksum(), checkpoint.ckptId(), stamp.timestamp(), meta.maxFs(), meta.ptFs());
        ByteBuffer record = ByteBuffer.wrap(bytes, (int) file.recordOffset(), layout.fileMetaLength())
                .slice();
        layout.put(record, sealed);
        layout.mark(record.flip(), stamp.over(file.recordSum()));
    }

    private List<String> differences() throws IOException {
        return differences(false);
    }

    private List<String> differences(boolean ended) throws IOException {
        Outcome outcome = new Outcome();
        new SnapshotComparison(produced, EXEC_ID, golden, snapshot, manifest, outcome).compare(false, ended);
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
        assertThat(differences()).hasSize(2).anyMatch(difference -> difference.contains("byte 17"));
    }

    @Test
    void whatIsMaskedMustFitTogether() throws IOException {
        byte[] bytes = Files.readAllBytes(checkpoint);
        bytes[bytes.length - 5]++; // the timestamp, which myHash covers
        Files.write(checkpoint, bytes);
        assertThat(differences()).anyMatch(difference -> difference.contains("myHash"));
        bytes[bytes.length - 5]--;
        bytes[bytes.length - 1]++;
        Files.write(checkpoint, bytes);
        assertThat(differences()).singleElement().asString().contains("stamp");
    }

    /** Single bytes changed, of the records and what is mixed of them every one: what is masked is covered by a digest. */
    @Tag("exhaustive")
    @ParameterizedTest
    @CsvSource({"l3-blocks, 1, RSed1", "l2-8r, 1, Pcof3", "v1.1-levels, 3, RSed2"})
    void everyChangedByteDiffers(String name, String snapshotName, String file) throws IOException {
        delete(produced);
        copy(name, snapshotName);
        assertThat(differences()).isEmpty();
        Path changed = find("-" + file + ".fti");
        byte[] bytes = Files.readAllBytes(changed);
        for (int i = 0; i < bytes.length; i += i < bytes.length - 300 ? 97 : 1) {
            bytes[i]++;
            Files.write(changed, bytes);
            boolean paddingOfTheRecord = manifest.layout().equals("A") && isPadding(i, file, bytes.length);
            assertThat(differences().isEmpty()).as("byte %d", i).isEqualTo(paddingOfTheRecord);
            bytes[i]--;
        }
    }

    /** Bytes 49 to 54 of the record of layout A, which nothing covers. */
    private static boolean isPadding(int at, String file, int length) {
        int record = file.startsWith("RSed") ? length - 96 : 0;
        return at >= record + 49 && at < record + 55;
    }

    private Path find(String end) throws IOException {
        try (Stream<Path> files = Files.walk(produced)) {
            return files.filter(file -> file.toString().endsWith(end))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
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
    void theReplicaOfALevel4CheckpointMayBeMissingOnceTheRunHasEnded() throws IOException {
        delete(produced);
        copy("heads-async", "3");
        Files.delete(produced.resolve("Local/node1/" + EXEC_ID + "/lL4Dir/Ckpt3-Rank5.fti"));
        assertThat(differences(true)).isEmpty();
        assertThat(differences(false)).singleElement().asString().contains("missing", "lL4Dir");
        Files.delete(produced.resolve("Global/" + EXEC_ID + "/l4/Ckpt3-Rank5.fti"));
        assertThat(differences(true)).singleElement().asString().contains("missing", "/l4/");
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
