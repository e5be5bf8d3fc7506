package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.ScrGolden;
import io.drumlin.scr.internal.cache.CachedDataset;
import io.drumlin.scr.internal.redundancy.Redundancy;
import io.drumlin.scr.internal.redundancy.RedundancySet;
import io.drumlin.scr.internal.store.KvFields;
import io.drumlin.scr.internal.store.KvTreeStore;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Caches of four nodes that SCR 3.1.0 left: made again after losses, and protected anew, to the same bytes. */
class RedundancyGoldenTest {

    private static final String DATASET = "user1/scr.112573/scr.dataset.";
    private static final Path RECORDED = Path.of("/tmp/scrcache");

    @TempDir
    Path directory;

    private Path copy(String name) throws IOException {
        Path nodes = ScrGolden.copy(name + "/nodes", directory.resolve(name));
        return nodes;
    }

    private static CachedDataset dataset(Path nodes, int id, Communicator world) {
        return new CachedDataset(
                nodes.resolve("n" + world.rank()).resolve(DATASET + id),
                RECORDED.resolve(DATASET + id),
                world,
                new NioEngine());
    }

    private static void delete(Path path) throws IOException {
        try (Stream<Path> paths = Files.walk(path)) {
            for (Path each : paths.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static Set<String> files(Path nodes, int id) throws IOException {
        Set<String> names = new TreeSet<>();
        for (int node = 0; node < 4; node++) {
            Path dataset = nodes.resolve("n" + node).resolve(DATASET + id);
            if (Files.exists(dataset)) {
                try (Stream<Path> paths = Files.walk(dataset)) {
                    paths.filter(Files::isRegularFile)
                            .map(path -> nodes.relativize(path).toString())
                            .forEach(names::add);
                }
            }
        }
        return names;
    }

    @ParameterizedTest
    @CsvSource({
        "cache_partner, 1, 1, true",
        "cache_partner, 1, 13, true",
        "cache_partner, 1, 12, false",
        "cache_rs, 1, 2, true",
        "cache_rs, 1, 01, true",
        "cache_rs, 1, 02, true",
        "cache_rs, 1, 13, true",
        "cache_rs, 1, 23, true",
        "cache_rs, 1, 012, false",
        "cache_xor, 1, 0, true",
        "cache_xor, 1, 1, true",
        "cache_xor, 2, 2, true",
        "cache_xor, 2, 3, true",
        "cache_xor, 2, 12, false",
        "cache_single, 1, '', true",
        "cache_single, 1, 1, false"
    })
    void whatIsLostIsMadeAgain(String name, int id, String lost, boolean possible) throws IOException {
        Path nodes = copy(name);
        Path original = ScrGolden.root().resolve(name).resolve("nodes");
        for (char node : lost.toCharArray()) {
            delete(nodes.resolve("n" + node));
        }
        Set<String> before = files(nodes, id);
        ThreadCommunicator.run(4, world -> {
            assertThat(dataset(nodes, id, world).rebuild()).isEqualTo(possible);
        });
        if (!possible) {
            assertThat(files(nodes, id)).isEqualTo(before);
            return;
        }
        for (String file : files(original, id)) {
            // What is one for a node has no owner among the ranks.
            if (!file.endsWith(".er.er") && !file.endsWith(".er.shuffile")) {
                assertThat(nodes.resolve(file)).hasBinaryContent(Files.readAllBytes(original.resolve(file)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cache_partner", "cache_rs", "cache_xor", "cache_single"})
    void filesAreProtectedAsScrProtectsThem(String name) throws IOException {
        Path nodes = copy(name);
        Path original = ScrGolden.root().resolve(name).resolve("nodes");
        ThreadCommunicator.run(4, world -> {
            CachedDataset dataset = dataset(nodes, 1, world);
            KvTreeStore store = new KvTreeStore(new NioEngine());
            Path metadata = dataset.directory().metadata();
            KvTree membership = store.read(metadata.resolve(RedundancySet.membershipName("reddesc", world.rank())));
            KvTree descriptor = membership.find(Integer.toString(world.rank()), "DESC");
            List<Redundancy.Protected> files = new ArrayList<>();
            for (String file : dataset.readMap().sorted().keys()) {
                files.add(new Redundancy.Protected(file, dataset.readMap().find(file, "META")));
            }
            int group = KvFields.integer(descriptor, "GROUP").orElseThrow();
            try (RedundancySet set = RedundancySet.of(descriptor, world.rank(), 4, world.split(group, world.rank()))) {
                Files.delete(metadata.resolve(set.fileName("reddesc")));
                Files.delete(metadata.resolve(RedundancySet.membershipName("reddesc", world.rank())));
                world.barrier();
                new Redundancy(store, dataset.directory(), Redundancy.DATA).encode(set, files);
            }
        });
        for (String file : files(original, 1)) {
            assertThat(nodes.resolve(file)).hasBinaryContent(Files.readAllBytes(original.resolve(file)));
        }
    }
}
