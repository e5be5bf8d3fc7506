package io.drumlin.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.Mpirun;
import io.drumlin.scr.ScrConfig;
import io.drumlin.scr.ScrDatasets;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Four hosts that have names and no addresses. If they counted as one node, the loss of one would lose the dataset:
 * nothing would be protected.
 */
@Tag("native")
@Tag("soak")
class ScrClusterIT {

    @TempDir
    Path directory;

    @BeforeEach
    void assumeNameSpaces() throws IOException, InterruptedException {
        NamedHosts.assumePossible();
    }

    /** Any of the hosts, and with RS two of them. The others come in another order. */
    @ParameterizedTest
    @CsvSource({"XOR, a b x d", "XOR, x b c d", "XOR, d c x a", "PARTNER, b x d a", "RS, x y c d", "RS, d x y a"})
    void hostsMayBeLost(String copyType, String hosts) throws IOException, InterruptedException {
        start("a b c d", copyType, "write");
        Map<String, List<String>> expected = new TreeMap<>();
        for (int rank = 0; rank < 4; rank++) {
            expected.put("abcd".substring(rank, rank + 1), List.of("rank_" + rank + ".ckpt"));
        }
        assertThat(data()).isEqualTo(expected);
        for (String host : List.of("a", "b", "c", "d")) {
            if (!hosts.contains(host)) {
                DirectoryTree.delete(directory.resolve("nodes").resolve(host), new NioEngine());
            }
        }
        start(hosts, copyType, "read");
    }

    /** What the hosts have in the directory of the dataset besides the metadata: as with SCR, last names. */
    private Map<String, List<String>> data() throws IOException {
        try (Stream<Path> paths = Files.walk(directory.resolve("nodes"))) {
            return paths.filter(Files::isRegularFile)
                    .filter(path -> path.toString().contains("/scr.dataset.1/")
                            && !path.toString().contains("/.scr/"))
                    .map(path -> directory.resolve("nodes").relativize(path))
                    .collect(Collectors.groupingBy(
                            path -> path.getName(0).toString(),
                            TreeMap::new,
                            Collectors.mapping(ScrClusterIT::inDataset, Collectors.toList())));
        }
    }

    private static String inDataset(Path path) {
        return path.toString().replaceFirst(".*/scr\\.dataset\\.1/", "");
    }

    private void start(String hosts, String copyType, String what) throws IOException, InterruptedException {
        NamedHosts named = new NamedHosts(directory.resolve("nodes"));
        String here = named.here().toString();
        String prefix = directory.resolve("prefix").toString();
        Mpirun.Outcome outcome = named.run(hosts, Program.class, what, copyType, prefix, here);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
    }

    /** Writes a dataset that stays in the caches and ends as if it were killed, or reads it. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws IOException {
            Path prefix = Path.of(arguments[2]);
            String cache = arguments[3];
            Communicators.run(world -> {
                ScrConfig config = new ScrConfig(Map.of())
                        .set("SCR_PREFIX", prefix.toString())
                        .set("SCR_CACHE_BASE", cache)
                        .set("SCR_CNTL_BASE", cache)
                        .set("SCR_CACHE_BYPASS", "0")
                        .set("SCR_JOB_ID", "1")
                        .set("SCR_FLUSH", "0")
                        .set("SCR_SET_FAILURES", "2")
                        .set("SCR_COPY_TYPE", arguments[1]);
                ScrDatasets datasets = ScrDatasets.open(config, world, StorageEngines.best());
                byte[] content = new byte[100_000 + 1000 * world.rank()];
                new Random(world.rank()).nextBytes(content);
                Path file = prefix.resolve("ck.1/rank_" + world.rank() + ".ckpt");
                if (arguments[0].equals("write")) {
                    datasets.startOutput("ck.1", true, false);
                    Files.write(datasets.routeFile(file), content);
                    assertThat(datasets.completeOutput(true)).isTrue();
                    return;
                }
                assertThat(datasets.haveRestart()).contains("ck.1");
                datasets.startRestart();
                assertThat(datasets.routeFile(file)).hasBinaryContent(content);
                assertThat(datasets.completeRestart(true)).isTrue();
            });
        }
    }
}
