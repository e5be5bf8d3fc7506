package io.drumlin.scr.internal.scavenge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.scr.internal.cache.CachedFile;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexListing;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.NoSuchDatasetException;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was saved of a job that died: by SCR, and by hand from caches of Drumlin. */
class ScavengedDatasetTest {

    private static final int RANKS = 4;
    private static final KvTreeStore STORE = new KvTreeStore(new NioEngine());

    @TempDir
    Path directory;

    private Path prefix() {
        return directory.resolve("prefix");
    }

    private IndexOperations operations() {
        return new IndexOperations(new ScrPrefix(prefix()), new NioEngine());
    }

    private ScrIndex index() throws IOException {
        return new IndexFile(new ScrPrefix(prefix()), new NioEngine()).read();
    }

    /** To the bytes that {@code scr_index --build} left, but for the order in which maps are written. */
    @Test
    void buildsWhatScrBuilds() throws IOException {
        ScrGolden.copy("prefix_scavenged_xor/before", prefix());
        assertThat(operations().build(2, Path.of("/tmp/prefix"))).containsExactly(2);
        Path golden = ScrGolden.root().resolve("prefix_scavenged_xor/prefix");
        for (Path expected : ScrGolden.files("prefix_scavenged_xor/prefix")) {
            Path built = prefix().resolve(golden.relativize(expected).toString());
            String name = expected.getFileName().toString();
            if (name.matches("rank2file.*|summary.scr")) {
                assertThat(STORE.read(built)).as(name).isEqualTo(STORE.read(expected));
            } else if (!name.equals("index.scr")) {
                assertThat(built).as(name).hasBinaryContent(Files.readAllBytes(expected));
            }
        }
        try (Stream<Path> paths = Files.list(prefix().resolve(".scr/scr.dataset.2"))) {
            assertThat(paths.map(Path::getFileName).map(Path::toString))
                    .containsExactlyInAnyOrderElementsOf(
                            ScrGolden.files("prefix_scavenged_xor/prefix/.scr/scr.dataset.2").stream()
                                    .map(path -> path.getFileName().toString())
                                    .toList());
        }
        assertThat(IndexListing.lines(index())).element(1).asString().matches("   2 YES   .{19}     ckpt.2");
        assertThat(index().current()).isEmpty();
    }

    @Test
    void aMovedPrefixMustBeNamed() throws IOException {
        ScrGolden.copy("prefix_scavenged_xor/before", prefix());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> operations().build(2))
                .withMessageContaining("/tmp/prefix/ckpt.2")
                .withMessageContaining("if the prefix directory was moved");
        assertThat(new ScrPrefix(prefix()).index()).doesNotExist();
    }

    /** More losses than the sets can bear: nothing is listed. When what was thought lost turns up, it is built. */
    @ParameterizedTest
    @CsvSource({"PARTNER, 1, 12", "XOR, 0, 03", "RS, 13, 013", "SINGLE, '', 2"})
    void buildsWhatASetCanBearAndListsNothingElse(String type, String bearable, String unbearable) throws IOException {
        writeAndDie(type);
        save(unbearable);
        assertThatExceptionOfType(NoSuchDatasetException.class)
                .isThrownBy(() -> operations().build(1))
                .withMessageContaining("too many nodes were lost");
        assertThat(new ScrPrefix(prefix()).index()).doesNotExist();
        assertThat(prefix().resolve(".scr/scr.dataset.1/summary.scr")).doesNotExist();

        save(bearable);
        assertThat(operations().build(1))
                .containsExactlyElementsOf(
                        bearable.chars().mapToObj(c -> c - '0').toList());
        IndexRecord record = index().record("ckpt.1").orElseThrow();
        assertThat(record.isRestartable()).isTrue();
        DatasetMetadata metadata = DatasetMetadata.of(new ScrPrefix(prefix()), record, new NioEngine());
        metadata.checkContent(metadata.checkFetchable(RANKS));
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(prefix().resolve("ckpt.1/" + rank + "/data")).hasBinaryContent(content(rank));
        }
    }

    @Test
    void aFileThatWasChangedIsNotListed() throws IOException {
        writeAndDie("XOR");
        save("");
        byte[] bytes = content(2);
        bytes[5]++;
        Files.write(prefix().resolve("ckpt.1/2/data"), bytes);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> operations().build(1))
                .withMessageContaining("ckpt.1/2/data")
                .withMessageContaining("CRC32");
        assertThat(new ScrPrefix(prefix()).index()).doesNotExist();
    }

    /** As a node leaves it that dies before the data have reached its disk. */
    @Test
    void anEmptyMapIsNoRankWithoutFiles() throws IOException {
        writeAndDie("XOR");
        save("");
        Path map = prefix().resolve(".scr/scr.dataset.1/filemap_2");
        Files.write(map, new byte[0]);
        assertThat(operations().build(1)).isEmpty();
        assertThat(STORE.read(map).get("FILE")).isNotNull();
    }

    private static byte[] content(int rank) {
        byte[] bytes = new byte[1000 + 300_000 * (rank % 2) + 7 * rank];
        new Random(rank).nextBytes(bytes);
        return bytes;
    }

    private Path cache(int rank) {
        return directory.resolve("n" + rank);
    }

    private void writeAndDie(String type) throws IOException {
        ThreadCommunicator.run(RANKS, world -> {
            String node = cache(world.rank()).toString();
            Map<String, String> environment = Map.of(
                    "SCR_PREFIX",
                    prefix().toString(),
                    "SCR_CACHE_BASE",
                    node,
                    "SCR_CNTL_BASE",
                    node,
                    "SCR_NODE_NAME",
                    "n" + world.rank(),
                    "SCR_USER_NAME",
                    "user1",
                    "SCR_COPY_TYPE",
                    type,
                    "SCR_CACHE_BYPASS",
                    "0");
            ScrDatasets datasets = ScrDatasets.open(new ScrConfig(environment), world, new NioEngine());
            datasets.startOutput("ckpt.1", true, false);
            Path file = datasets.routeFile(prefix().resolve("ckpt.1/" + world.rank() + "/data"));
            Files.write(file, content(world.rank()));
            datasets.completeOutput(true);
        });
    }

    /** What {@code scr_copy} does on each node that is left. */
    private void save(String lost) throws IOException {
        List<Integer> left = IntStream.range(0, RANKS)
                .filter(rank -> lost.indexOf('0' + rank) < 0)
                .boxed()
                .toList();
        for (int rank : left) {
            Path metadata = cache(rank).resolve("user1/scr.defjobid/scr.dataset.1/.scr");
            Path target = Files.createDirectories(prefix().resolve(".scr/scr.dataset.1"));
            try (Stream<Path> paths = Files.list(metadata)) {
                for (Path path : paths.filter(each -> each.toString().matches(".*(filemap_\\d|\\.redset)"))
                        .toList()) {
                    Files.write(target.resolve(path.getFileName().toString()), Files.readAllBytes(path));
                }
            }
            KvTree files = STORE.read(metadata.resolve("filemap_" + rank)).add("FILE");
            for (String name : files.keys()) {
                Path place = CachedFile.of(files.get(name)).place(new ScrPrefix(prefix()));
                Files.createDirectories(place.resolveSibling("."));
                Files.write(place, Files.readAllBytes(Path.of(name)));
            }
        }
    }
}
