package io.drumlin.scr.internal.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.DrumlinException;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetMetadataTest {

    private static final NioEngine STORAGE = new NioEngine();

    @TempDir
    Path directory;

    private static DatasetMetadata ofCurrent(Path prefix) throws IOException {
        ScrIndex index = new IndexFile(new ScrPrefix(prefix), STORAGE).read();
        return DatasetMetadata.of(new ScrPrefix(prefix), index.records().get(0), STORAGE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prefix_one",
                "prefix_files_layout",
                "prefix_multipart_rank2file",
                "prefix_scavenged_xor",
                "old_v118_prefix",
                "old_v200_prefix"
            })
    void readsWhatEachReleaseWrote(String name) throws IOException {
        Path prefix = ScrGolden.root().resolve(name + "/prefix");
        DatasetMetadata metadata = ofCurrent(prefix);
        RankFiles map = metadata.check();
        assertThat(map.files()).hasSize(map.ranks());
        assertThat(map.files().values().stream().mapToInt(List::size).sum())
                .isEqualTo((int) metadata.readDescriptor().files().orElseThrow());
    }

    /** As the command line has it that is run there. */
    @ParameterizedTest
    @ValueSource(strings = {"", ".", "x/.."})
    void theWorkingDirectoryIsAPrefixLikeAnyOther(String path) throws IOException {
        ScrPrefix prefix = new ScrPrefix(Path.of(path));
        DatasetMetadata metadata = DatasetMetadata.of(prefix, 1, STORAGE);
        DatasetFile file = new DatasetFile("ckpt.1/rank_0", OptionalLong.empty(), OptionalLong.empty());
        assertThat(metadata.locate(file)).isEqualTo(Path.of("ckpt.1/rank_0").toAbsolutePath());
    }

    @Test
    void noticesAFileThatWasCut() throws IOException {
        Path prefix = ScrGolden.copy("prefix_one/prefix", directory.resolve("p"));
        Files.write(prefix.resolve("ckpt.1/rank_2.ckpt"), new byte[3]);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> ofCurrent(prefix).check())
                .withMessageContaining("but its summary says 1242");
        Files.delete(prefix.resolve("ckpt.1/rank_2.ckpt"));
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> ofCurrent(prefix).check())
                .withMessageContaining("rank_2.ckpt")
                .withMessageContaining("no such file");
    }

    @Test
    void refusesAnotherNumberOfRanks() throws IOException {
        DatasetMetadata metadata = ofCurrent(ScrGolden.root().resolve("prefix_one/prefix"));
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> metadata.checkFetchable(5))
                .withMessageContaining("written by 4 ranks, but there are 5");
    }

    @Test
    void writesMapsInPartsAndReadsThem() throws IOException {
        SortedMap<Integer, List<DatasetFile>> files = new TreeMap<>();
        for (int rank = 0; rank < 400; rank++) {
            String name = "ckpt.1/" + "x".repeat(9_000) + rank;
            files.put(
                    rank,
                    rank % 7 == 0
                            ? List.of()
                            : List.of(new DatasetFile(name, OptionalLong.of(rank), OptionalLong.of(0xfedcba98L))));
        }
        RankFiles map = new RankFiles(400, files);
        DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(directory), 1, STORAGE);
        metadata.write(DatasetDescriptor.started(1, "ckpt.1", true, false, 1), map);
        assertThat(metadata.readFiles()).isEqualTo(map);
        try (Stream<Path> parts = Files.list(metadata.directory())) {
            assertThat(parts.map(path -> path.getFileName().toString()).filter(name -> name.startsWith("rank2file.0.")))
                    .as("a part for each MiB")
                    .hasSize(3)
                    .contains("rank2file.0.0");
        }
        assertThat(metadata.readDescriptor().name()).contains("ckpt.1");
        assertThat(metadata.readComplete()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "/etc/passwd", "", "a/../.."})
    void refusesFilesOutsideThePrefix(String path) throws IOException {
        DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(directory), 1, STORAGE);
        SortedMap<Integer, List<DatasetFile>> files =
                new TreeMap<>(Map.of(0, List.of(new DatasetFile(path, OptionalLong.empty(), OptionalLong.empty()))));
        metadata.write(DatasetDescriptor.started(1, "x", true, false, 1), new RankFiles(1, files));
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(metadata::check)
                .withMessageContaining("is not below");
    }

    @Test
    void refusesMapsThatNeverEnd() throws IOException {
        KvTreeStore store = new KvTreeStore(STORAGE);
        KvTree map = new KvTree();
        map.set("LEVEL", 1);
        map.set("RANKS", 2);
        map.addPath("RANK", "0").set("FILE", ".0.0");
        map.addPath("RANK", "1").set("FILE", ".0.0");
        Path root = directory.resolve("rank2file");
        store.replace(root, map);
        KvTree part = new KvTree();
        part.set("LEVEL", 0);
        store.replace(directory.resolve("rank2file.0.0"), part);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> RankFiles.read(store, root, directory))
                .withMessageContaining("named twice");
        part.set("LEVEL", 1);
        store.replace(directory.resolve("rank2file.0.0"), part);
        assertThatExceptionOfType(DrumlinException.class)
                .isThrownBy(() -> RankFiles.read(store, root, directory))
                .withMessageContaining("LEVEL is 1");
    }
}
