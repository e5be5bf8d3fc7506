package io.drumlin.scr.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.DatasetJobs;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.scr.internal.redundancy.NodeLayout;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Restarts of jobs whose ranks run in other nodes than before. */
@Tag("exhaustive")
class CacheDistributionTest extends DatasetJobs {

    private static int[] places(String digits) {
        return digits.chars().map(each -> each - '0').toArray();
    }

    /** What a node has, as names below its cache. */
    private Set<String> files(int node) throws IOException {
        if (!Files.exists(cache(node))) {
            return Set.of();
        }
        try (Stream<Path> paths = Files.walk(cache(node))) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> cache(node).relativize(path).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private KvTree read(Path path) throws IOException {
        return new KvTreeStore(new NioEngine()).read(path);
    }

    /** Also to nodes that did not take part before, several ranks to one node, and from one node apart. */
    @ParameterizedTest
    @CsvSource({
        "SINGLE, 0123, 1230, ''",
        "SINGLE, 0123, 3210, ''",
        "SINGLE, 0011, 1100, ''",
        "SINGLE, 0011, 0101, ''",
        "SINGLE, 0000, 0123, ''",
        "SINGLE, 0123, 3201, ''",
        "PARTNER, 0123, 1230, 2",
        "PARTNER, 0123, 3012, 02",
        "XOR, 0123, 1230, 0",
        "XOR, 0123, 0124, 3",
        "XOR, 0011, 1010, 1",
        "RS, 0123, 2301, 13",
        "RS, 0123, 3422, 01"
    })
    void ranksFindTheirFilesWhereTheyRunNow(String type, String before, String after, String lost) throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        place(places(before));
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        for (char node : lost.toCharArray()) {
            delete(node(node - '0'));
        }
        place(places(after));
        for (int restart = 0; restart < 2; restart++) {
            job((datasets, rank) -> {
                assertThat(datasets.haveRestart()).contains("ckpt.2");
                read(datasets, rank, "ckpt.2");
            });
        }
        checkLists();
        job((datasets, rank) -> write(datasets, rank, "ckpt.3"));
        place(places(new StringBuilder(after).reverse().toString()));
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("ckpt.3");
            read(datasets, rank, "ckpt.3");
        });
        checkLists();
    }

    /** Whether ranks with files of equal names share a node. */
    private boolean hasFilesApart(Path dataset) throws IOException {
        for (int node : nodeOf) {
            if (files(node).stream().anyMatch(file -> file.startsWith(dataset + "/.scr/apart_"))) {
                return true;
            }
        }
        return false;
    }

    /** Each node lists all files of the ranks that run there, and has no others. */
    private void checkLists() throws IOException {
        for (int node : Arrays.stream(nodeOf).distinct().toArray()) {
            Set<String> known = new TreeSet<>(Set.of("cindex.scrinfo"));
            try (Stream<Path> datasets = Files.list(cache(node))) {
                for (Path dataset : datasets.filter(Files::isDirectory).toList()) {
                    for (String family : new String[] {"reddesc", "reddescmap"}) {
                        Path list = dataset.resolve(".scr/" + family + ".er.shuffile");
                        Path state = dataset.resolve(".scr/" + family + ".er.er");
                        assertThat(read(state).value("STATE"))
                                .contains(family.equals("reddesc") && hasFilesApart(dataset.getFileName()) ? "1" : "2");
                        KvTree ranks = read(list).add("RANK");
                        assertThat(ranks.size()).isEqualTo((int) Arrays.stream(nodeOf)
                                .filter(each -> each == node)
                                .count());
                        for (KvTree rank : ranks.entries().values()) {
                            for (String file : rank.add("FILE").keys()) {
                                known.add(dataset.getFileName()
                                        + file.substring(file.lastIndexOf(
                                                        dataset.getFileName().toString())
                                                + dataset.getFileName()
                                                        .toString()
                                                        .length()));
                            }
                        }
                        known.add(cache(node).relativize(list).toString());
                        known.add(cache(node).relativize(state).toString());
                    }
                }
            }
            // The lists have the places of files that are apart, to which these return.
            assertThat(files(node).stream().map(file -> file.replaceAll("[.]scr/apart_\\d+/", "")))
                    .containsOnlyOnceElementsOf(known.stream()
                            .filter(each -> !each.endsWith(".bin"))
                            .toList())
                    .containsOnly(known.toArray(String[]::new));
        }
    }

    /** What SCR wrote is found in other nodes, too; all nodes have one path there. */
    @Test
    void movesWhatScrWrote() throws IOException {
        Path recorded = Path.of("/tmp/scrcache/user1/scr.112573/scr.dataset.1");
        for (int rank = 0; rank < RANKS; rank++) {
            ScrGolden.copy("cache_single/nodes/n" + rank, node((rank + 1) % RANKS));
        }
        ThreadCommunicator.run(RANKS, world -> {
            CachedDataset dataset =
                    new CachedDataset(cache(world.rank()).resolve("scr.dataset.1"), recorded, world, new NioEngine());
            try (NodeLayout layout = new NodeLayout(world, "n" + world.rank())) {
                assertThat(dataset.distribute(layout)).isNull();
                assertThat(dataset.rebuild()).isTrue();
                dataset.renewLists(layout);
            }
        });
        for (int rank = 0; rank < RANKS; rank++) {
            Path original = ScrGolden.root().resolve("cache_single/nodes/n" + rank + "/user1/scr.112573/scr.dataset.1");
            Path moved = cache(rank).resolve("scr.dataset.1");
            try (Stream<Path> paths = Files.walk(original)) {
                for (Path path : paths.filter(Files::isRegularFile).toList()) {
                    assertThat(moved.resolve(original.relativize(path).toString()))
                            .hasBinaryContent(Files.readAllBytes(path));
                }
            }
        }
    }

    /** As in caches of SCR, which keeps last names only: each node has a file of the same name. */
    private void writeEqualNames(ScrDatasets datasets, int rank) throws IOException {
        datasets.startOutput("ckpt.1", true, false);
        Files.write(datasets.routeFile(equalName()), content("ckpt.1", 1 + rank, 0));
        datasets.completeOutput(true);
    }

    private Path equalName() {
        return prefix().resolve("ckpt.1/data.bin");
    }

    private void readEqualNames(ScrDatasets datasets, int rank) throws IOException {
        assertThat(datasets.haveRestart()).contains("ckpt.1");
        datasets.startRestart();
        assertThat(datasets.routeFile(equalName())).hasBinaryContent(content("ckpt.1", 1 + rank, 0));
        datasets.completeRestart(true);
    }

    private void lose(String nodes) throws IOException {
        for (char node : nodes.toCharArray()) {
            delete(node(node - '0'));
        }
    }

    /**
     * Both files have one place: in a node that two ranks come to share, in two that swap ranks, and where a lost file
     * is made again.
     */
    @ParameterizedTest
    @CsvSource({
        "SINGLE, 1023, ''",
        "SINGLE, 2130, ''",
        "XOR, 1203, ''",
        "XOR, 0023, 1",
        "PARTNER, 0223, 1",
        "PARTNER, 2200, 13",
        "RS, 0323, 1",
        "XOR, 3320, 1"
    })
    void noFileTakesThePlaceOfAnotherRanks(String type, String after, String lost) throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        job(this::writeEqualNames);
        lose(lost);
        place(places(after));
        job(this::readEqualNames);
        // It does not depend on what the first restart has left where, and the files can be lost again.
        lose(type.equals("SINGLE") || after.chars().distinct().count() < 4 ? "" : "2");
        job(this::readEqualNames);
        place(0, 1, 2, 3);
        job(this::readEqualNames);
        for (int node : nodeOf) {
            assertThat(read(state(node)).value("STATE")).contains("2");
            assertThat(cache(node).resolve("scr.dataset.1/data.bin")).exists();
        }
    }

    private Path state(int node) {
        return cache(node).resolve("scr.dataset.1/.scr/reddesc.er.er");
    }

    /** SCR would read the file of one rank for the other: what it reads first tells it not to. */
    @Test
    void scrDoesNotUseFilesThatAreKeptApart() throws IOException {
        parameters.put("SCR_COPY_TYPE", "XOR");
        job(this::writeEqualNames);
        lose("1");
        place(0, 0, 2, 3);
        job(this::readEqualNames);
        for (int node : new int[] {0, 2, 3}) {
            assertThat(read(state(node)).value("STATE")).contains("1");
        }
    }

    /** As SCR leaves them if ranks with files of the same name and size share a node. */
    @Test
    void aFileThatMayBeThatOfEitherRankIsRefused() throws IOException {
        parameters.put("SCR_COPY_TYPE", "SINGLE");
        job((datasets, rank) -> {
            datasets.startOutput("ckpt.1", true, false);
            Files.write(datasets.routeFile(equalName()), new byte[] {(byte) rank});
            datasets.completeOutput(true);
        });
        Path second = cache(0).resolve("scr.dataset.1/.scr");
        copyMetadata(cache(1).resolve("scr.dataset.1/.scr"), second);
        job((datasets, rank) -> assertThat(datasets.haveRestart()).contains("ckpt.1"));
        copyMetadata(cache(1).resolve("scr.dataset.1/.scr"), second);
        removeCrc(second.resolve("filemap_0"));
        removeCrc(second.resolve("filemap_1"));
        delete(node(1));
        for (String after : new String[] {"0023", "0423"}) {
            place(places(after));
            assertThatThrownBy(() -> job((datasets, rank) -> {}))
                    .hasStackTraceContaining("data.bin")
                    .hasStackTraceContaining("no CRC32 tells whose it is");
            assertThat(cache(0).resolve("scr.dataset.1/data.bin")).hasBinaryContent(new byte[] {0});
        }
    }

    /** The files of rank 1. */
    private static void copyMetadata(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().matches("filemap_1|.*[.]er[.]1[.].*")) {
                    Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    /** The size of the map must stay. */
    private void removeCrc(Path filemap) throws IOException {
        KvTree map = read(filemap);
        for (KvTree file : map.add("FILE").entries().values()) {
            KvTree meta = file.add("META");
            meta.put("XXX", meta.add("CRC").copy());
            meta.remove("CRC");
        }
        new KvTreeStore(new NioEngine()).replace(filemap, map);
    }

    /** Ranks of a node write one file together. When they part, each takes it along. */
    @ParameterizedTest
    @CsvSource({"SINGLE, 0011, ''", "SINGLE, 0213, ''", "SINGLE, 2301, ''", "XOR, 0033, 1", "XOR, 2311, 0"})
    void ranksShareAFile(String type, String after, String lost) throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        place(0, 0, 1, 1);
        job((datasets, rank) -> {
            datasets.startOutput("ckpt.1", true, false);
            Path shared = datasets.routeFile(prefix().resolve("ckpt.1/node" + rank / 2));
            try (FileChannel file = FileChannel.open(shared, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(content("ckpt.1", 0, rank % 2)), 1000 * (rank % 2));
            }
            datasets.completeOutput(true);
        });
        lose(lost);
        place(places(after));
        for (int restart = 0; restart < 2; restart++) {
            job((datasets, rank) -> {
                assertThat(datasets.haveRestart()).contains("ckpt.1");
                datasets.startRestart();
                byte[] read = Files.readAllBytes(datasets.routeFile(prefix().resolve("ckpt.1/node" + rank / 2)));
                assertThat(Arrays.copyOfRange(read, 1000, read.length)).isEqualTo(content("ckpt.1", 0, 1));
                assertThat(Arrays.copyOf(read, 5)).isEqualTo(content("ckpt.1", 0, 0));
                datasets.completeRestart(true);
            });
        }
    }

    /** A node that was away while others wrote a dataset with the id of one that it has. */
    @Test
    void anOlderDatasetOfTheSameIdIsNotMixedIn() throws IOException {
        parameters.put("SCR_COPY_TYPE", "XOR");
        job((datasets, rank) -> write(datasets, rank, "old"));
        Files.move(node(3), directory.resolve("away"));
        deleteCaches();
        job((datasets, rank) -> write(datasets, rank, "new"));
        delete(node(3));
        Files.move(directory.resolve("away"), node(3));
        job((datasets, rank) -> {
            assertThat(datasets.haveRestart()).contains("new");
            read(datasets, rank, "new");
        });
    }

    /** One operation fails where files arrive: they stay where they are. */
    @ParameterizedTest
    @EnumSource(
            value = FaultyEngine.Operation.class,
            names = {"WRITE", "SYNC", "RENAME"})
    void aFailureWhileFilesMoveLosesNothing(FaultyEngine.Operation operation) throws IOException {
        parameters.put("SCR_COPY_TYPE", "SINGLE");
        job((datasets, rank) -> write(datasets, rank, "ckpt.1"));
        int failures = 0;
        for (int shift = 1; shift <= 3; shift++) {
            place(shift, (shift + 1) % RANKS, (shift + 2) % RANKS, (shift + 3) % RANKS);
            FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
            faulty.fail(operation, faulty.count(operation) + 15 * shift, "EIO");
            storage = faulty;
            try {
                job((datasets, rank) -> assertThat(datasets.haveRestart()).contains("ckpt.1"));
            } catch (IOException e) {
                failures++;
            }
            storage = new NioEngine();
            job((datasets, rank) -> {
                assertThat(datasets.haveRestart()).contains("ckpt.1");
                read(datasets, rank, "ckpt.1");
            });
        }
        assertThat(failures).isPositive();
    }

    /** One read of a restart fails once: the dataset in the caches is neither deleted nor passed over for an older one. */
    @ParameterizedTest
    @CsvSource({
        "SINGLE, OPEN, 0",
        "SINGLE, READ, 0",
        "SINGLE, OPEN, 1",
        "SINGLE, READ, 1",
        "XOR, OPEN, 0",
        "XOR, READ, 1"
    })
    void anErrorThatMayPassLosesNothing(String type, FaultyEngine.Operation operation, int shift) throws IOException {
        failOneOf(9, type, operation, shift);
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE, OPEN, 0",
        "SINGLE, READ, 0",
        "SINGLE, OPEN, 1",
        "SINGLE, READ, 1",
        "XOR, OPEN, 0",
        "XOR, READ, 1"
    })
    void manyErrorsThatMayPassLoseNothing(String type, FaultyEngine.Operation operation, int shift) throws IOException {
        failOneOf(2, type, operation, shift);
    }

    /** One of {@code stride} operations that follow each other. */
    private void failOneOf(int stride, String type, FaultyEngine.Operation operation, int shift) throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        parameters.put("SCR_CRC_ON_COPY", "1");
        job((datasets, rank) -> {
            write(datasets, rank, "ckpt.1");
            write(datasets, rank, "ckpt.2");
        });
        int failures = 0;
        for (int nth = 1 + new Random().nextInt(stride); nth < 100; nth += stride) {
            place(
                    (nth * shift) % RANKS,
                    (nth * shift + 1) % RANKS,
                    (nth * shift + 2) % RANKS,
                    (nth * shift + 3) % RANKS);
            FaultyEngine faulty = new FaultyEngine(new NioEngine(), false);
            faulty.fail(operation, nth, "EIO");
            storage = faulty;
            String what = operation + " number " + nth;
            try {
                job((datasets, rank) ->
                        assertThat(datasets.haveRestart()).as(what).contains("ckpt.2"));
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("EIO");
                failures++;
            }
            storage = new NioEngine();
            job((datasets, rank) -> {
                assertThat(datasets.haveRestart()).as(what).contains("ckpt.2");
                read(datasets, rank, "ckpt.2");
            });
        }
        // A sample may have only operations whose failure does no harm.
        assertThat(failures).isGreaterThanOrEqualTo(stride > 2 ? 0 : 1);
    }

    /** With SINGLE there is nothing to make files from again: at every moment one of the two nodes must have them. */
    @ParameterizedTest
    @EnumSource
    void aCrashWhileFilesMoveLosesNothing(Crash crash) throws IOException {
        crashWhileFilesMove(crash, 10);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("soak")
    void manyCrashesWhileFilesMoveLoseNothing(Crash crash) throws IOException {
        crashWhileFilesMove(crash, 100);
    }

    private void crashWhileFilesMove(Crash crash, int crashes) throws IOException {
        parameters.put("SCR_COPY_TYPE", "SINGLE");
        job((datasets, rank) -> write(datasets, rank, "ckpt.1"));
        FaultyEngine faulty = new FaultyEngine(new NioEngine());
        storage = faulty;
        place(1, 2, 3, 0);
        CrashJournal journal = faulty.record(directory.resolve(nodes));
        job((datasets, rank) -> assertThat(datasets.haveRestart()).contains("ckpt.1"));
        storage = new NioEngine();
        nodes = "replay";
        long seed = new Random().nextLong();
        System.out.printf("seed %d, %d operations%n", seed, journal.size());
        Random random = new Random(seed);
        for (int i = 0; i < crashes; i++) {
            int end = random.nextInt(journal.size() + 1);
            delete(directory.resolve(nodes));
            journal.replay(end, Files.createDirectories(directory.resolve(nodes)), crash, random);
            int shift = random.nextInt(RANKS);
            place(shift, (shift + 1) % RANKS, (shift + 2) % RANKS, (shift + 3) % RANKS);
            job((datasets, rank) -> {
                assertThat(datasets.haveRestart())
                        .as("seed %d, end %d", seed, end)
                        .contains("ckpt.1");
                read(datasets, rank, "ckpt.1");
            });
        }
    }
}
