package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.kvtree.KvTree;
import io.drumlin.scr.internal.cache.CacheNames;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names of cached files: those that SCR gives them, so that SCR can make lost files again. */
@Tag("exhaustive")
class CacheLayoutTest extends DatasetJobs {

    private static final int ID = 1;

    /** The names of the files of each rank below the prefix directory. */
    private List<String> names(String form, int rank) {
        return Arrays.stream(form.split(" "))
                .map(each -> each.replace("%r", Integer.toString(rank)))
                .toList();
    }

    private static byte[] text(String name, int rank) {
        return ("rank " + rank + " wrote " + name).repeat(1 + rank).getBytes(StandardCharsets.UTF_8);
    }

    private void writeFiles(ScrDatasets datasets, int rank, String form) throws IOException {
        datasets.startOutput("ck.1", true, false);
        List<Path> written = new ArrayList<>();
        for (String name : names(form, rank)) {
            Path path = datasets.routeFile(prefix().resolve(name));
            assertThat(written).doesNotContain(path);
            written.add(path);
            Files.write(path, text(name, rank));
        }
        assertThat(datasets.completeOutput(true)).isTrue();
    }

    private void readFiles(ScrDatasets datasets, int rank, String form) throws IOException {
        assertThat(datasets.haveRestart()).contains("ck.1");
        datasets.startRestart();
        for (String name : names(form, rank)) {
            assertThat(datasets.routeFile(prefix().resolve(name))).hasBinaryContent(text(name, rank));
        }
        assertThat(datasets.completeRestart(true)).isTrue();
    }

    private Path dataset(int node) {
        return cache(node).resolve("scr.dataset." + ID);
    }

    /** What a node has in the directory of the dataset, without its metadata. */
    private Set<String> data(int node) throws IOException {
        try (Stream<Path> paths = Files.walk(dataset(node))) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> dataset(node).relativize(path))
                    .filter(path -> !path.startsWith(".scr"))
                    .map(Path::toString)
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> set(String names) {
        return new TreeSet<>(Arrays.asList(names.split(" ")));
    }

    private Set<String> lastNames(String form, int rank) {
        return names(form, rank).stream()
                .map(each -> Path.of(each).getFileName().toString())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** All files of SCR that name a cached file name it directly in the directory of the dataset. */
    private void checkRecordedNames(int node, Set<String> expected) throws IOException {
        KvTreeStore store = new KvTreeStore(new NioEngine());
        Path metadata = dataset(node).resolve(".scr");
        Set<String> paths = expected.stream()
                .map(each -> dataset(node) + "/" + each)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(new TreeSet<>(store.read(metadata.resolve("filemap_" + node))
                        .add("FILE")
                        .keys()))
                .isEqualTo(paths);
        Set<String> listed = new TreeSet<>(store.read(metadata.resolve("reddesc.er.shuffile"))
                .addPath("RANK", Integer.toString(node), "FILE")
                .keys());
        listed.removeIf(each -> each.contains("/.scr/"));
        assertThat(listed).isEqualTo(paths);
        try (Stream<Path> files = Files.list(metadata)) {
            Path header = files.filter(each -> each.getFileName().toString().matches("reddesc.er.\\d+[.].+[.]redset"))
                    .findFirst()
                    .orElseThrow();
            KvTree tree = store.read(header);
            Set<String> members = new TreeSet<>();
            tree.addPath("DESC", tree.value("RANK").orElseThrow(), "FILE")
                    .entries()
                    .values()
                    .forEach(file -> members.add(file.first().orElseThrow()));
            assertThat(members).isEqualTo(paths);
        }
        try (Stream<Path> files = Files.list(metadata)) {
            assertThat(files.map(each -> each.getFileName().toString())
                            .filter(each -> !each.matches("filemap_\\d+|reddesc(map)?[.]er[.].*")))
                    .isEmpty();
        }
    }

    /** As the caches of SCR: last names directly in the directory of the dataset. Rank n runs in node n. */
    @ParameterizedTest
    @CsvSource({
        "SINGLE, ck.1/rank_%r.ckpt, ''",
        "PARTNER, ck.1/rank_%r.ckpt, 2",
        "PARTNER, ck.1/rank_%r.ckpt, 02",
        "XOR, ck.1/rank_%r.ckpt, 1",
        "RS, ck.1/rank_%r.ckpt, 03",
        "XOR, ck.1/rank_%r/data ck.1/rank_%r/deep/down/more, 3",
        "PARTNER, rank_%r.ckpt, 0",
        "RS, ck.1/same ck.1/rank_%r/other, 12",
        "XOR, ck.1/ck.1 .hidden/a%r, 2"
    })
    void filesHaveTheNamesThatScrGivesThem(String type, String form, String lost) throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        List<String> warnings = logged(() -> job((datasets, rank) -> writeFiles(datasets, rank, form)));
        assertThat(warnings).isEmpty();
        for (int node = 0; node < RANKS; node++) {
            assertThat(data(node)).isEqualTo(lastNames(form, node));
            checkRecordedNames(node, data(node));
        }
        for (char node : lost.toCharArray()) {
            delete(node(node - '0'));
        }
        job((datasets, rank) -> readFiles(datasets, rank, form));
        for (int node = 0; node < RANKS; node++) {
            assertThat(data(node)).isEqualTo(lastNames(form, node));
        }
    }

    /** Rank 0 and 1 share node 0; rank 2 and 3 share node 1. */
    @ParameterizedTest
    @CsvSource({
        // Only those that would collide: the program names one after the other, and each rank knows its own only.
        "PARTNER, rank_%r/x ck/y%r, rank_0/x rank_1/x y0 y1, rank_2/x rank_3/x y2 y3",
        // One rank names both.
        "XOR, a%r/x b%r/x ck/z%r, a0/x a1/x b0/x b1/x z0 z1, a2/x a3/x b2/x b3/x z2 z3",
        // A file directly in the prefix directory has no directory to keep.
        "PARTNER, x%r d/x%r, x0 x1 d/x0 d/x1, x2 x3 d/x2 d/x3",
        // A directory that stays cannot have the name of a file.
        "XOR, rank_%r/x ck/rank_%r, rank_0/x rank_1/x ck/rank_0 ck/rank_1, rank_2/x rank_3/x ck/rank_2 ck/rank_3",
        "PARTNER, ck%r/.scr ck/y%r, ck0/.scr ck1/.scr y0 y1, ck2/.scr ck3/.scr y2 y3"
    })
    void directoriesOnlyWhereTwoFilesWouldCollide(String type, String form, String first, String second)
            throws IOException {
        parameters.put("SCR_COPY_TYPE", type);
        place(0, 0, 1, 1);
        List<String> warnings = logged(() -> job((datasets, rank) -> writeFiles(datasets, rank, form)));
        assertThat(warnings).singleElement().asString().contains("SCR cannot", "last name", "dataset 1");
        assertThat(data(0)).isEqualTo(set(first));
        assertThat(data(1)).isEqualTo(set(second));
        delete(node(0));
        job((datasets, rank) -> readFiles(datasets, rank, form));
        assertThat(data(0)).isEqualTo(set(first));
        // In other nodes, alone and together.
        place(0, 2, 1, 1);
        job((datasets, rank) -> readFiles(datasets, rank, form));
        place(0, 1, 2, 2);
        delete(node(1));
        job((datasets, rank) -> readFiles(datasets, rank, form));
    }

    /** Names are unique in each node when they are written, and not in the node to which the ranks come. */
    @Test
    void equalNamesOfDifferentNodesComeTogether() throws IOException {
        String form = "rank_%r/x";
        parameters.put("SCR_COPY_TYPE", "PARTNER");
        job((datasets, rank) -> writeFiles(datasets, rank, form));
        assertThat(data(1)).isEqualTo(set("x"));
        delete(node(1));
        place(0, 0, 2, 3);
        job((datasets, rank) -> readFiles(datasets, rank, form));
        assertThat(data(0)).isEqualTo(set("x"));
        delete(node(3));
        place(0, 3, 2, 2);
        job((datasets, rank) -> readFiles(datasets, rank, form));
        place(2, 3, 0, 1);
        job((datasets, rank) -> readFiles(datasets, rank, form));
    }

    private List<String> flushed() throws IOException {
        try (Stream<Path> paths = Files.walk(prefix())) {
            return paths.filter(Files::isRegularFile)
                    .map(each -> prefix().relativize(each))
                    .filter(each -> !each.startsWith(".scr"))
                    .map(Path::toString)
                    .sorted()
                    .toList();
        }
    }

    /** The prefix directory has the files where the program wants them, and a fetch brings them back. */
    @ParameterizedTest
    @CsvSource({"ck.1/rank_%r.ckpt", "ck.1/rank_%r/x", "ck.1/rank_%r/x ck.1/rank_%r/deep/x rank_%r"})
    void aFlushKeepsTheNamesOfTheProgram(String form) throws IOException {
        parameters.put("SCR_COPY_TYPE", "XOR");
        parameters.put("SCR_FLUSH", "1");
        place(0, 1, 1, 2);
        job((datasets, rank) -> writeFiles(datasets, rank, form));
        List<String> expected = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            expected.addAll(names(form, rank));
        }
        Collections.sort(expected);
        assertThat(flushed()).isEqualTo(expected);
        Set<String> cached = data(1);
        deleteCaches();
        job((datasets, rank) -> {
            readFiles(datasets, rank, form);
            assertThat(data(1)).isEqualTo(cached);
        });
    }

    /** A name is either the last name, or the whole path; no two files have one name, and no file has that of a directory. */
    @Test
    void randomNamesNeverCollide() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        String[] words = {"a", "b", "c", ".scr", "x"};
        for (int round = 0; round < 500; round++) {
            Set<Path> paths = new TreeSet<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                List<String> parts = new ArrayList<>(List.of(words[random.nextInt(3)]));
                for (int depth = random.nextInt(3); depth > 0; depth--) {
                    parts.add(words[random.nextInt(words.length)]);
                }
                Path path = Path.of(String.join("/", parts));
                if (paths.stream().noneMatch(each -> each.startsWith(path) || path.startsWith(each))) {
                    paths.add(path);
                }
            }
            Map<Path, Path> names = CacheNames.choose(paths);
            assertThat(names.keySet()).as("seed %d", seed).isEqualTo(paths);
            names.forEach((path, name) -> {
                assertThat(name).as("seed %d", seed).isIn(path, path.getFileName());
                assertThat(name.startsWith(".scr")).as("seed %d", seed).isFalse();
                names.values().stream().filter(each -> each != name).forEach(other -> assertThat(other.startsWith(name))
                        .as("seed %d: %s", seed, names)
                        .isFalse());
            });
        }
    }
}
