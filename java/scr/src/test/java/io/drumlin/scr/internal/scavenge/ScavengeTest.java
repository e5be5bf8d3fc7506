package io.drumlin.scr.internal.scavenge;

import static io.drumlin.scr.DeadJob.RANKS;
import static io.drumlin.scr.DeadJob.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.DeadJob;
import io.drumlin.scr.DeadJob.Dataset;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.scr.internal.cache.FlushStates;
import io.drumlin.scr.internal.index.DatasetDescriptor;
import io.drumlin.scr.internal.index.DatasetMetadata;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.IndexRecord;
import io.drumlin.scr.internal.index.NoSuchDatasetException;
import io.drumlin.scr.internal.index.RankFiles;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The caches of a job that died, saved to the prefix directory. */
@Tag("exhaustive")
class ScavengeTest {

    private static final KvTreeStore STORE = new KvTreeStore(new NioEngine());

    /** The names that SCR gives the files of a scavenged dataset, and those of a dataset that is complete. */
    private static final Pattern LAYOUT = Pattern.compile("filemap_\\d+|(reddesc|reddescmap)\\.er\\.\\d+\\.redset"
            + "|(reddesc|reddescmap)\\.er\\.\\d+\\.(single|partner|xor|rs)\\.grp_\\d+_of_\\d+\\.mem_\\d+_of_\\d+\\.redset"
            + "|summary\\.scr|rank2file|rank2file\\.0\\.0");

    @TempDir
    Path directory;

    private DeadJob job;

    /** Problems that nodes had. */
    private final List<String> problems = new ArrayList<>();

    @BeforeEach
    void name() {
        job = new DeadJob(directory);
    }

    private ScrPrefix prefix() {
        return new ScrPrefix(job.prefix());
    }

    private ScrIndex index() throws IOException {
        return new IndexFile(prefix(), new NioEngine()).read();
    }

    private Scavenge scavenge() {
        return new Scavenge(prefix(), new NioEngine());
    }

    private SortedSet<Integer> copy(int id, Integer... nodes) throws IOException {
        SortedSet<Integer> copied = new TreeSet<>();
        for (int node : nodes) {
            CacheCopy.Outcome outcome =
                    new CacheCopy(prefix(), job.control(node), new NioEngine()).copy(id, bytes -> {});
            copied.addAll(outcome.ranks());
            problems.addAll(outcome.problems());
        }
        return copied;
    }

    /** Scavenges from some nodes, and returns whether all that was tried is whole. */
    private boolean scavenge(Integer... nodes) throws IOException {
        Scavenge scavenge = scavenge();
        return scavenge.run((id, name) -> {
            try {
                SortedSet<Integer> copied = scavenge.begin(id) ? copy(id, nodes) : new TreeSet<>();
                scavenge.finish(id, copied);
                return true;
            } catch (NoSuchDatasetException e) {
                problems.add(String.valueOf(e.getMessage()));
                return false;
            }
        });
    }

    private void assertWhole(String name, String file) throws IOException {
        IndexRecord record = index().record(name).orElseThrow();
        assertThat(record.isComplete()).isTrue();
        DatasetMetadata metadata = DatasetMetadata.of(prefix(), record, new NioEngine());
        metadata.checkContent(metadata.check());
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(job.prefix().resolve(name + "/" + rank + "/" + file)).hasBinaryContent(content(name, rank));
        }
    }

    private List<String> names(Path of) throws IOException {
        try (Stream<Path> paths = Files.walk(of)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> path.getFileName().toString())
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource({"PARTNER, 0 2", "XOR, 0 1 3", "RS, 0 2", "SINGLE, 0 1 2 3"})
    void whatTheNodesThatAreLeftHaveIsEnough(String type, String left) throws IOException {
        job.with("SCR_COPY_TYPE", type).run("data", Dataset.checkpoint("ckpt.1"));
        assertThat(scavenge().waiting()).containsExactly(1);
        assertThat(scavenge(Arrays.stream(left.split(" ")).map(Integer::valueOf).toArray(Integer[]::new)))
                .as("%s", problems)
                .isTrue();
        assertThat(problems).isEmpty();
        assertWhole("ckpt.1", "data");
        assertThat(index().current()).contains("ckpt.1");
        assertThat(scavenge().waiting()).isEmpty();
        assertThat(names(prefix().metadata(1)))
                .allMatch(name -> LAYOUT.matcher(name).matches());
        assertThat(names(job.prefix().resolve("ckpt.1"))).hasSize(RANKS).allMatch("data"::equals);
    }

    /** The layout is what scr_copy leaves, so that scr_index can build it. */
    @Test
    void whatIsCopiedHasTheNamesOfScr() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        scavenge().begin(1);
        assertThat(copy(1, 0, 1, 3)).containsExactly(0, 1, 3);
        Set<String> expected = new TreeSet<>(Set.of("scavenge.scr"));
        for (int rank : new int[] {0, 1, 3}) {
            expected.add("filemap_" + rank);
            for (String family : List.of("reddesc", "reddescmap")) {
                expected.add(family + ".er." + rank + ".redset");
                expected.add(family + ".er." + rank + ".xor.grp_1_of_1.mem_" + (rank + 1) + "_of_4.redset");
            }
        }
        assertThat(new TreeSet<>(names(prefix().metadata(1)))).isEqualTo(expected);
        for (String name : expected) {
            if (!name.equals("scavenge.scr")) {
                int rank = Integer.parseInt(name.replaceAll("\\D*(\\d+).*", "$1"));
                assertThat(prefix().metadata(1).resolve(name))
                        .hasBinaryContent(Files.readAllBytes(
                                job.control(rank).resolve("scr.dataset.1/.scr").resolve(name)));
            }
        }
    }

    @Test
    void aJobOnFreshNodesReadsIt() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        assertThat(scavenge(0, 1, 3)).isTrue();
        for (int rank = 0; rank < RANKS; rank++) {
            delete(job.cache(rank));
        }
        ThreadCommunicator.run(RANKS, world -> {
            int rank = world.rank();
            ScrDatasets scr = ScrDatasets.open(new ScrConfig(job.environment(rank)), world, new NioEngine());
            assertThat(scr.haveRestart()).contains("ckpt.1");
            scr.startRestart();
            Path file = scr.routeFile(job.prefix().resolve("ckpt.1/" + rank + "/data"));
            assertThat(file).hasBinaryContent(content("ckpt.1", rank));
            scr.completeRestart(true);
        });
    }

    @Test
    void tooFewNodesListNothingAndMoreOfThemCanFollow() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        assertThat(scavenge(0, 1)).isFalse();
        assertThat(problems).singleElement().asString().contains("too many nodes were lost");
        assertThat(prefix().index()).doesNotExist();
        assertThat(scavenge().waiting()).containsExactly(1);
        assertThat(scavenge(3)).as("%s", problems).isTrue();
        assertWhole("ckpt.1", "data");
    }

    @Test
    void aDatasetThatWasSavedIsNotCopiedAgain() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        assertThat(scavenge(0, 1, 2, 3)).isTrue();
        // As after a kill between the index and the flush file.
        FlushStates states = new FlushStates(STORE.read(prefix().flush()));
        DatasetDescriptor descriptor = states.descriptor(1).orElseThrow();
        states.remove(1);
        states.cached(descriptor);
        STORE.replace(prefix().flush(), states.tree());
        assertThat(scavenge().begin(1)).isFalse();
        assertThat(scavenge(new Integer[0])).isTrue();
        assertWhole("ckpt.1", "data");
        assertThat(scavenge().waiting()).isEmpty();
    }

    /** All output, the oldest first, and the newest checkpoint, as scr_postrun does. */
    @Test
    void outputComesFirstAndTheNewestCheckpointBecomesCurrent() throws IOException {
        job.with("SCR_CACHE_SIZE", "9")
                .run("data", Dataset.checkpoint("ckpt.1"), Dataset.checkpoint("ckpt.2"), Dataset.checkpoint("ckpt.3"));
        List<Integer> tried = new ArrayList<>();
        assertThat(scavenge().run((id, name) -> {
                    tried.add(id);
                    return false;
                }))
                .isFalse();
        assertThat(tried).containsExactly(3, 2, 1);
        assertThat(scavenge(0, 1, 2)).isTrue();
        assertThat(index().current()).contains("ckpt.3");
        assertThat(index().record("ckpt.2")).isEmpty();
    }

    @Test
    void ifOutputIsLostOnlyCheckpointsBeforeItCount() throws IOException {
        job.with("SCR_CACHE_SIZE", "9").run("data", Dataset.checkpoint("ckpt.1"), Dataset.checkpoint("ckpt.2"));
        FlushStates states = new FlushStates(STORE.read(prefix().flush()));
        DatasetDescriptor output = DatasetDescriptor.started(2, "out", true, true, 7);
        states.remove(2);
        states.cached(output);
        states.cached(DatasetDescriptor.started(3, "ckpt.3", true, false, 8));
        STORE.replace(prefix().flush(), states.tree());
        List<Integer> tried = new ArrayList<>();
        scavenge().run((id, name) -> {
            tried.add(id);
            return false;
        });
        assertThat(tried).containsExactly(2, 1);
    }

    private static byte[] changed(byte[] bytes) {
        byte[] other = bytes.clone();
        other[other.length / 2]++;
        return other;
    }

    /** A file with another CRC32 than its filemap says counts as lost. */
    @Test
    void aDamagedFileIsRebuilt() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path file = job.control(2).resolve("scr.dataset.1/data");
        Files.write(file, changed(Files.readAllBytes(file)));
        assertThat(scavenge(0, 1, 2, 3)).as("%s", problems).isTrue();
        assertThat(problems).singleElement().asString().contains("rank 2: ", file.toString(), "CRC32");
        assertWhole("ckpt.1", "data");
    }

    /** The program may have written its files to the prefix directory itself. */
    @Test
    void aDamagedFileInItsPlaceIsRebuilt() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path index = job.control(2).resolve("cindex.scrinfo");
        KvTree cached = STORE.read(index);
        cached.get("DSET").get("1").set("BYPASS", 1);
        STORE.replace(index, cached);
        Path file = job.prefix().resolve("ckpt.1/2/data");
        Files.createDirectories(file.getParent());
        Files.write(file, changed(Files.readAllBytes(job.control(2).resolve("scr.dataset.1/data"))));
        assertThat(scavenge(0, 1, 2, 3)).as("%s", problems).isTrue();
        assertThat(problems).singleElement().asString().contains("rank 2: ", file.toString(), "CRC32");
        assertWhole("ckpt.1", "data");
    }

    @Test
    void aDamagedFilemapIsRebuilt() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Files.write(job.control(2).resolve("scr.dataset.1/.scr/filemap_2"), new byte[0]);
        assertThat(scavenge(0, 1, 2, 3)).as("%s", problems).isTrue();
        assertThat(problems).singleElement().asString().contains("filemap_2", "it is empty");
        assertWhole("ckpt.1", "data");
    }

    /** A program may give the files of all its checkpoints the same names. */
    @Test
    void filesOfAnotherWholeDatasetStay() throws IOException {
        job.run("data", new Dataset("old", "same", true, false));
        assertThat(scavenge(0, 1, 2, 3)).isTrue();
        job.run("data", new Dataset("new", "same", true, false));
        assertThat(scavenge(0, 1, 3)).isFalse();
        assertThat(problems)
                .hasSize(4)
                .filteredOn(text -> text.contains("this file belongs to the complete dataset old"))
                .hasSize(3);
        assertThat(problems).last().asString().contains("no node has copied anything of it");
        assertThat(index().record("old").orElseThrow().isRestartable()).isTrue();
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(job.prefix().resolve("same/" + rank + "/data")).hasBinaryContent(content("old", rank));
        }
        new IndexOperations(prefix(), new NioEngine()).drop("old");
        assertThat(scavenge(0, 1, 3)).isTrue();
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(job.prefix().resolve("same/" + rank + "/data")).hasBinaryContent(content("new", rank));
        }
    }

    /** What lies at the places of a lost rank is of an older dataset, whatever its size. */
    @Test
    void olderFilesAreNotTakenForThoseOfALostNode() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path file = job.prefix().resolve("ckpt.1/2/data");
        Files.createDirectories(file.resolveSibling("."));
        Files.write(file, changed(content("ckpt.1", 2)));
        assertThat(scavenge(0, 1, 3)).isTrue();
        assertWhole("ckpt.1", "data");
    }

    /** An id was used again while a node was away. */
    @Test
    void aNodeWithAnOlderDatasetOfTheIdIsLeftOut() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path index = job.control(2).resolve("cindex.scrinfo");
        KvTree tree = STORE.read(index);
        tree.addPath("DSET", "1", "DSETDESC").set("CREATED", 5);
        STORE.replace(index, tree);
        assertThat(scavenge(0, 1, 2, 3)).isTrue();
        assertThat(problems).singleElement().asString().contains("its cache has another dataset of this id");
        assertWhole("ckpt.1", "data");
    }

    @Test
    void aDirectoryWithFilesOfAnotherDatasetIsRefused() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path map = Files.createDirectories(prefix().metadata(1)).resolve("filemap_3");
        Files.write(map, new byte[1]);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> scavenge(0, 1, 2, 3))
                .withMessageContaining("nothing tells of which dataset it is");
        Files.delete(map);
        DatasetDescriptor other = DatasetDescriptor.started(1, "other", true, false, 9);
        DatasetMetadata.of(prefix(), 1, new NioEngine()).write(other, new RankFiles(1, new TreeMap<>()));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> scavenge(0, 1, 2, 3))
                .withMessageContaining("another dataset of this id, other, and ckpt.1 is in the caches");
    }

    /** As SCR leaves a cache: it has no CRC32, and gave the files of a node the same name. */
    @Test
    void aFileThatMayBeThatOfTwoRanksIsRefused() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path metadata = job.control(2).resolve("scr.dataset.1/.scr");
        KvTree map = STORE.read(metadata.resolve("filemap_2"));
        for (KvTree file : map.add("FILE").entries().values()) {
            file.add("META").remove("CRC");
        }
        STORE.replace(metadata.resolve("filemap_2"), map);
        KvTree other = map.copy();
        for (KvTree file : other.add("FILE").entries().values()) {
            file.add("META").set("PATH", job.prefix().resolve("ckpt.1/3").toString());
        }
        STORE.replace(metadata.resolve("filemap_3"), other);
        scavenge().begin(1);
        CacheCopy.Outcome outcome = new CacheCopy(prefix(), job.control(2), new NioEngine()).copy(1, bytes -> {});
        assertThat(outcome.contested()).isTrue();
        assertThat(outcome.problems()).singleElement().asString().contains("scr.dataset.1/data", "no CRC32 tells");
        assertThat(job.prefix().resolve("ckpt.1")).doesNotExist();
    }

    @Test
    void aNodeWithoutACacheHasNothing() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        scavenge().begin(1);
        CacheCopy.Outcome outcome =
                new CacheCopy(prefix(), directory.resolve("none/x"), new NioEngine()).copy(1, b -> {});
        assertThat(outcome).isEqualTo(new CacheCopy.Outcome(new TreeSet<>(), 0, 0, List.of(), false));
    }

    @Test
    void aNodeThatDoesNotSeeThePrefixDirectoryCopiesNothing() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        ScrPrefix elsewhere = new ScrPrefix(directory.resolve("elsewhere"));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> new CacheCopy(elsewhere, job.control(0), new NioEngine()).copy(1, bytes -> {}));
        assertThat(directory.resolve("elsewhere")).doesNotExist();
    }

    @Test
    void filesKeepTheirModes() throws IOException {
        job.run("data", Dataset.checkpoint("ckpt.1"));
        Path cached = job.control(2).resolve("scr.dataset.1/data");
        assertThat(scavenge(0, 1, 2, 3)).isTrue();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(job.prefix().resolve("ckpt.1/2/data"))))
                .isEqualTo(PosixFilePermissions.toString(Files.getPosixFilePermissions(cached)));
    }

    /** As SCR's scripts learn where the caches are. */
    @Test
    void theConfigurationIsThatOfTheProgram() throws IOException {
        Files.createDirectories(prefix().scr());
        Files.writeString(
                prefix().applicationConfig(),
                "SCR_CNTL_BASE=/nodes/control\nSCR_JOB_ID=77\nGROUPS=host1 POWER=psu1\nCKPT=0 TYPE=XOR\n");
        ScrConfig config = ScrConfig.ofJob(Map.of("SCR_USER_NAME", "user1", "SCR_JOB_ID", "78"), prefix().path());
        assertThat(config.controlDirectory()).isEqualTo(Path.of("/nodes/control/user1/scr.78"));
        assertThat(config.get("SCR_PREFIX")).contains(job.prefix().toString());
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
