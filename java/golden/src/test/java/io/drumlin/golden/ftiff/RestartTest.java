package io.drumlin.golden.ftiff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import io.drumlin.Golden;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.golden.base.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Runs of C FTI, of all releases that have FTI-FF, go on with Drumlin: every snapshot is restarted from, by thread ranks. */
@Tag("exhaustive")
class RestartTest {

    private static final Pattern RANK_FILE = Pattern.compile("(.*)/l([1-4])/Ckpt(\\d+)-Rank\\d+\\.fti");
    private static final Pattern ARCHIVED = Pattern.compile(".*/l4_archive/Ckpt(\\d+)-Rank\\d+\\.fti");

    @TempDir
    private Path directory;

    private record Run(Path golden, Manifest manifest, String name, Path copy) {

        Manifest.Snapshot snapshot() {
            return Optional.ofNullable(manifest.snapshots().get(name)).orElseThrow();
        }

        /** The id of the checkpoint of each level that has one. */
        NavigableMap<Level, Integer> checkpoints() {
            NavigableMap<Level, Integer> checkpoints = new TreeMap<>();
            for (Manifest.SnapshotFile file : snapshot().files()) {
                Matcher match = RANK_FILE.matcher(file.path());
                if (match.matches()) {
                    checkpoints.put(Level.of(Integer.parseInt(match.group(2))), Integer.valueOf(match.group(3)));
                }
                if (file.kind().equals("dcp")) {
                    checkpoints.put(
                            Level.L4_DCP,
                            Objects.requireNonNull(file.checkpoint()).ckptId());
                }
            }
            return checkpoints;
        }

        /** Level and id of the checkpoint that counts: the one of the lowest level, at no level the newest of the archive. */
        Optional<Map.Entry<Level, Integer>> newest() {
            return Optional.ofNullable(checkpoints().firstEntry()).or(this::newestArchived);
        }

        private Optional<Map.Entry<Level, Integer>> newestArchived() {
            return snapshot().files().stream()
                    .map(file -> ARCHIVED.matcher(file.path()))
                    .filter(Matcher::matches)
                    .map(match -> Integer.valueOf(match.group(1)))
                    .max(Comparator.naturalOrder())
                    .map(id -> Map.entry(Level.L4, id));
        }

        /** The same when nodes are lost, by what the levels promise. */
        Optional<Map.Entry<Level, Integer>> newestWithout(Set<Integer> nodes) {
            return checkpoints().entrySet().stream()
                    .filter(each -> stands(each.getKey(), nodes))
                    .findFirst()
                    .or(this::newestArchived);
        }

        private boolean stands(Level level, Set<Integer> nodes) {
            int k = manifest.number("group_size");
            return switch (level) {
                case L1 -> nodes.isEmpty();
                // Nobody's right neighbour is lost with it.
                case L2 -> nodes.stream().noneMatch(node -> nodes.contains(node / k * k + (node + 1) % k));
                case L3 ->
                    nodes.stream()
                            .collect(Collectors.groupingBy(node -> node / k, Collectors.counting()))
                            .values()
                            .stream()
                            .allMatch(lost -> lost <= k / 2);
                case L4_DCP, L4 -> true;
            };
        }

        int nodes() {
            return manifest.ranks() / manifest.number("node_size");
        }

        void deleteNode(int node) throws IOException {
            Path folder = copy.resolve("Local/node" + node);
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }

        Path config() {
            return copy.resolve("config.fti");
        }

        List<Manifest.Variable> variables(int checkpoint) {
            return Optional.ofNullable(manifest.checkpoints().get(checkpoint))
                    .orElseThrow()
                    .variables();
        }

        void copyFiles() throws IOException {
            for (Manifest.SnapshotFile file : snapshot().files()) {
                Path target = copy.resolve(file.path());
                Files.createDirectories(target.getParent());
                Files.copy(golden.resolve(name).resolve(file.path()), target);
            }
            for (String root : List.of("Local", "Global", "Meta")) {
                Files.createDirectories(copy.resolve(root));
            }
            String text = Files.readString(config());
            Files.writeString(config(), text.replace(" = ./", " = " + copy + "/"));
        }

        /** What an aborted checkpoint of C FTI leaves: files that are not whole. */
        void addRemains() throws IOException {
            for (Manifest.SnapshotFile file : snapshot().files()) {
                Matcher match = RANK_FILE.matcher(file.path());
                if (match.matches()) {
                    Path source = copy.resolve(file.path());
                    Path tmp = Files.createDirectories(
                            source.getParent().resolveSibling("tmp").resolve("."));
                    byte[] bytes = Files.readAllBytes(source);
                    Files.write(tmp.resolve(source.getFileName()), Arrays.copyOf(bytes, bytes.length - 9));
                }
            }
        }
    }

    private List<Run> runs() throws IOException {
        Path root = Golden.path("fti-ff");
        List<Run> runs = new ArrayList<>();
        try (Stream<Path> cases = Files.list(root)) {
            for (Path golden : cases.filter(Files::isDirectory).sorted().toList()) {
                Json json = Json.root(
                        JSON.std.mapFrom(golden.resolve("manifest.json").toFile()));
                Manifest manifest = Manifest.of(json);
                for (String name : manifest.snapshots().keySet()) {
                    runs.add(new Run(golden, manifest, name, directory.resolve(golden.getFileName() + "-" + name)));
                }
            }
        }
        return runs;
    }

    @TestFactory
    Stream<DynamicTest> everySnapshotOfTheReferenceGoesOn() throws IOException {
        return runs().stream()
                .map(run -> DynamicTest.dynamicTest(run.copy.getFileName().toString(), () -> {
                    run.copyFiles();
                    run.addRemains();
                    assertThat(surveyed(run)).isEqualTo(run.newest());
                    if (run.newest().isEmpty()) {
                        assertThatThrownBy(() -> onEachRank(run, (checkpoints, rank) -> {}))
                                .hasMessageContaining("at no level ");
                        return;
                    }
                    recover(run, run.newest().get().getKey(), run.newest().get().getValue());
                    // And once more, from what this side wrote behind the containers of the other.
                    onEachRank(run, (checkpoints, rank) -> {
                        variables(run, run.newest().get().getValue(), rank).forEach(checkpoints::protect);
                        checkpoints.recover();
                        checkpoints.protect(99, new double[] {rank});
                        checkpoints.checkpoint(77, Level.L1);
                    });
                    onEachRank(run, (checkpoints, rank) -> {
                        assertThat(checkpoints.lastCheckpoint()).contains(77);
                        double[] added = new double[1];
                        checkpoints.protect(99, added);
                        Map<Integer, ByteBuffer> empty =
                                empty(run, run.newest().get().getValue(), rank);
                        empty.forEach(checkpoints::protect);
                        checkpoints.recover();
                        assertThat(empty)
                                .isEqualTo(variables(run, run.newest().get().getValue(), rank));
                        assertThat(added).containsExactly(rank);
                    });
                }));
    }

    /** Each node and some pairs of nodes, of many nodes some: what the files of C FTI promise, they keep. */
    @TestFactory
    Stream<DynamicTest> nodesOfTheReferenceAreLost() throws IOException {
        return runs().stream()
                .filter(run -> run.checkpoints().containsKey(Level.L2)
                        || run.checkpoints().containsKey(Level.L3))
                .map(run -> DynamicTest.dynamicTest(run.copy.getFileName().toString(), () -> {
                    long seed = new Random().nextLong();
                    System.out.println("seed " + seed);
                    Random random = new Random(seed);
                    for (int first = 0; first < run.nodes(); first++) {
                        for (int second = first; second < run.nodes(); second++) {
                            if (random.nextInt(run.nodes() > 4 ? 5 : first == second ? 1 : 3) == 0) {
                                lose(run, new TreeSet<>(List.of(first, second)));
                            }
                        }
                    }
                }));
    }

    private static void lose(Run run, Set<Integer> nodes) throws IOException {
        Run loss = new Run(
                run.golden, run.manifest, run.name, run.copy.resolveSibling(run.copy.getFileName() + "-" + nodes));
        loss.copyFiles();
        for (int node : nodes) {
            loss.deleteNode(node);
        }
        Optional<Map.Entry<Level, Integer>> newest = run.newestWithout(nodes);
        assertThat(surveyed(loss)).as("without nodes %s", nodes).isEqualTo(newest);
        if (newest.isEmpty()) {
            assertThatThrownBy(() -> onEachRank(loss, (checkpoints, rank) -> {}))
                    .as("without nodes %s", nodes)
                    .hasMessageContaining("at no level ");
            return;
        }
        recover(loss, newest.get().getKey(), newest.get().getValue());
    }

    /** Level and id of the checkpoint that a restart takes, as the commands say it before. */
    private static Optional<Map.Entry<Level, Integer>> surveyed(Run run) throws IOException {
        return RunSurvey.open(run.config(), run.copy)
                .report(true)
                .restart()
                .map(checkpoint -> Map.entry(checkpoint.level(), checkpoint.ckptId()));
    }

    private static void recover(Run run, Level level, int id) throws IOException {
        onEachRank(run, (checkpoints, rank) -> {
            assertThat(checkpoints.status().number()).isEqualTo(run.snapshot().restartFailure());
            assertThat(checkpoints.lastCheckpoint()).contains(id);
            assertThat(checkpoints.lastLevel()).contains(level);
            Map<Integer, ByteBuffer> variables = empty(run, id, rank);
            variables.forEach((variable, content) -> {
                assertThat(checkpoints.storedSize(variable)).isEqualTo(content.remaining());
                checkpoints.protect(variable, content);
            });
            checkpoints.recover();
            assertThat(variables).isEqualTo(variables(run, id, rank));
        });
    }

    private static Map<Integer, ByteBuffer> empty(Run run, int id, int rank) {
        Map<Integer, ByteBuffer> variables = variables(run, id, rank);
        variables.replaceAll((variable, content) -> ByteBuffer.allocate(content.remaining()));
        return variables;
    }

    private static Map<Integer, ByteBuffer> variables(Run run, int id, int rank) {
        Map<Integer, ByteBuffer> variables = new TreeMap<>();
        for (Manifest.Variable variable : run.variables(id)) {
            variables.put(
                    variable.id(),
                    variable.values()
                            .bytes(rank, variable.id(), variable.count().on(rank), variable.segments())
                            .rewind());
        }
        return variables;
    }

    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, int rank) throws IOException;
    }

    private static void onEachRank(Run run, Body body) throws IOException {
        ThreadCommunicator.run(run.manifest.ranks(), comm -> {
            try (Checkpoints checkpoints = Checkpoints.open(run.config(), comm)) {
                if (!checkpoints.isHead()) {
                    body.run(checkpoints, comm.rank());
                }
            }
        });
    }
}
