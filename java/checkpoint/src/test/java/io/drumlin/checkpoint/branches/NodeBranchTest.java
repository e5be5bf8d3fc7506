package io.drumlin.checkpoint.branches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.nodes.NodeOrderTest;
import io.drumlin.checkpoint.nodes.RunsOnNodes;
import io.drumlin.storage.DyingEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Branches that begin with a checkpoint on real nodes, each of which sees its own storage only. */
@Tag("exhaustive")
class NodeBranchTest extends RunsOnNodes {

    /** A run with checkpoint 1 at level 4, 2 at a level of the nodes and, if that is not the first, 3 at level 1. */
    private RunFixture parent(String ioMode, Level level, Map<String, String> changes) throws IOException {
        RunFixture run = run(ioMode, changes);
        int perNode = changes.containsKey("basic.node_size") ? 2 : 1;
        int heads = changes.containsKey("basic.head") ? 1 : 0;
        run.runOn(NodeOrderTest.block(NODES, perNode + heads), (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L4);
            take(checkpoints, 2, level);
            if (level != Level.L1) {
                take(checkpoints, 3, Level.L1);
            }
        });
        return run;
    }

    private static void recovers(RunFixture run, List<String> hosts, int from, int ckptId) throws IOException {
        run.runOn(hosts, builder -> builder.from(from).open(), (checkpoints, comm) -> recovers(checkpoints, ckptId));
    }

    /** All files of a run, on all nodes, with their contents. */
    private static Map<String, String> files(RunFixture run, String execId) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(run.directory())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = run.directory().relativize(file).toString();
                if (List.of(name.split("/", -1)).contains(execId)) {
                    files.put(name, Files.readString(file, StandardCharsets.ISO_8859_1));
                }
            }
        }
        return files;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 3", "3, 1", "3, 2", "3, 3", "4, 2", "5, 1"})
    void aBranchBeginsWithWhatTheNodesHave(String ioMode, int level) throws IOException {
        RunFixture run = parent(ioMode, Level.of(level), Map.of());
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(run, parent);
        List<String> hosts = new ArrayList<>(NODES);
        Collections.shuffle(hosts, random);
        RunFixture.Opening opening = builder -> builder.from(2).open();
        run.runOn(hosts, opening, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel().orElseThrow().number()).isEqualTo(level);
            recovers(checkpoints, 2);
        });
        String branch = run.restartValue("exec_id");
        assertThat(branch).isEqualTo(parent + "-from-2");
        // The job comes again, on nodes in another order, and goes on.
        Collections.shuffle(hosts, random);
        run.runOn(hosts, opening, (checkpoints, comm) -> {
            recovers(checkpoints, 2);
            take(checkpoints, 4, Level.L2);
        });
        run.runOn(hosts, opening, (checkpoints, comm) -> recovers(checkpoints, 4));
        assertThat(files(run, parent)).isEqualTo(before);
        assertThat(files(run, branch).keySet()).noneMatch(name -> name.contains("drumlin-branch-"));

        // A second branch from the same state, and the parent, which goes on from its newest.
        run.setRestart("1", parent);
        run.runOn(hosts, opening, (checkpoints, comm) -> recovers(checkpoints, 2));
        assertThat(run.restartValue("exec_id")).isEqualTo(parent + "-from-2.2");
        run.setRestart("1", parent);
        run.runOn(hosts, (checkpoints, comm) -> recovers(checkpoints, level == 1 ? 2 : 3));
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "3, 3", "5, 2"})
    void whatANodeHasLostIsMadeAgain(String ioMode, int level) throws IOException {
        RunFixture run = parent(ioMode, Level.of(level), Map.of());
        List<String> hosts = new ArrayList<>(NODES);
        int lost = random.nextInt(hosts.size());
        run.loseDisk(hosts.get(lost));
        hosts.set(lost, "n9");
        Collections.shuffle(hosts, random);
        recovers(run, hosts, 2, 2);
        // The branch has all of it.
        run.loseDisk(hosts.get(0));
        recovers(run, hosts, 2, 2);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1", "3, 3", "5, 1"})
    void withHeadsAndSeveralRanksOnANode(String ioMode, int level) throws IOException {
        RunFixture run = parent(ioMode, Level.of(level), Map.of("basic.node_size", "3", "basic.head", "1"));
        recovers(run, NodeOrderTest.block(List.of("n2", "n4", "n1", "n3"), 3), 2, 2);
    }

    @Test
    void theLatestBeforeATimeIsOnTheNodes() throws IOException {
        RunFixture run = parent("3", Level.L2, Map.of());
        Instant afterAll = Instant.now().plusSeconds(60);
        run.runOn(
                NODES,
                builder -> builder.fromLatestBefore(afterAll).branch("warm").open(),
                (checkpoints, comm) -> recovers(checkpoints, 3));
        assertThat(run.restartValue("exec_id")).isEqualTo("warm");
    }

    @Test
    void theConfigurationChooses() throws IOException {
        RunFixture run = parent("1", Level.L3, Map.of());
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text + "\n[drumlin]\nfrom = 2\nbranch = warm\n");
        run.runOn(NODES, (checkpoints, comm) -> recovers(checkpoints, 2));
        assertThat(run.restartValue("exec_id")).isEqualTo("warm");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2"})
    void otherNumbersOfRanksAreRefused(String ioMode, int level) throws IOException {
        RunFixture run = parent(ioMode, Level.of(level), Map.of("basic.group_size", "2"));
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(run, parent);
        assertThatThrownBy(() -> recovers(run, List.of("n1", "n2"), 2, 2))
                .hasMessageContaining("the checkpoints were written on 4 nodes, this run has 2");
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("(?m)^node_size *=.*", "node_size = 2"));
        assertThatThrownBy(() -> recovers(run, NodeOrderTest.block(NODES, 2), 2, 2))
                .hasMessageContaining("was written by 4 ranks, this run has 8");
        Files.writeString(run.config(), text.replaceAll("(?m)^group_size *=.*", "group_size = 4"));
        assertThatThrownBy(() -> recovers(run, NODES, 2, 2)).hasMessageContaining("set group_size = 2");
        Files.writeString(run.config(), text);
        assertThat(files(run, parent)).isEqualTo(before);
        assertThat(PathStatus.entries(run.directory().resolve("Meta"))).hasSize(1);
        assertThat(PathStatus.entries(run.localRoot("n1"))).hasSize(1);
        recovers(run, NODES, 2, 2);
    }

    @Test
    void whatTooFewNodesHaveIsNoCheckpoint() throws IOException {
        RunFixture run = parent("3", Level.L2, Map.of());
        for (String node : List.of("n1", "n2", "n3")) {
            run.loseDisk(node);
        }
        assertThatThrownBy(() -> recovers(run, NODES, 2, 2))
                .hasMessageContaining("there is no checkpoint 2 that a branch can begin with")
                .hasMessageContaining("there are: 1 (l4, ")
                .hasMessageContaining("of 2 (l2) 1 of 4 nodes have files");
        recovers(run, NODES, 1, 1);
    }

    /** The start that made the branch did not find enough, because a node was missing; the node comes back. */
    @Test
    void anUnusedBranchGetsWhatWasMissing() throws IOException {
        RunFixture run = parent("3", Level.L2, Map.of());
        List<String> others = List.of("n1", "n8", "n9", "n4");
        assertThatThrownBy(() -> recovers(run, others, 2, 2)).hasMessageContaining("at no level");
        recovers(run, NODES, 2, 2);
        assertThat(PathStatus.entries(run.directory().resolve("Meta"))).hasSize(2);
    }

    /** On a node that was away when a run was deleted there are old checkpoints of it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aNameThatANodeKnowsIsNotTaken(int ckptId) throws IOException {
        RunFixture run = parent("3", Level.L2, Map.of());
        String parent = run.restartValue("exec_id");
        for (String node : NODES) {
            Path old = Files.createDirectories(run.localRoot(node).resolve(parent + "-from-" + ckptId + "/l1"));
            for (Path file : PathStatus.entries(run.localRoot(node).resolve(parent + "/l1"))) {
                Files.createLink(old.resolve(file.getFileName()), file);
            }
        }
        assertThatThrownBy(() -> run.runOn(
                        NODES,
                        builder -> builder.from(ckptId)
                                .branch(parent + "-from-" + ckptId)
                                .open(),
                        (checkpoints, comm) -> {}))
                .hasMessageContaining("there is something of this name already");
        recovers(run, NODES, ckptId, ckptId);
        assertThat(run.restartValue("exec_id")).isEqualTo(parent + "-from-" + ckptId + ".2");
    }

    /** A kill after the nodes have given their files, other nodes, another choice under the same name, and the nodes back. */
    @Test
    void whatAKillHasLeftOnNodesThatComeBackIsNotRecovered() throws IOException {
        RunFixture run = parent("3", Level.L2, Map.of());
        int operations = 0;
        String parent = run.restartValue("exec_id");
        Path known = run.directory().resolve("Meta/warm");
        Path left = run.localRoot("n1").resolve("warm");
        while (!Files.exists(left) || PathStatus.entries(left).stream().noneMatch(NodeBranchTest::isWholePart)) {
            DyingEngine storage = new DyingEngine(operations++);
            assertThatThrownBy(() -> run.runOn(
                    NODES,
                    builder -> builder.storage(storage).from(2).branch("warm").open(),
                    (checkpoints, comm) -> {}));
        }
        assertThat(known).doesNotExist();
        run.runOn(
                List.of("n5", "n6", "n7", "n8"),
                builder -> builder.from(1).branch("warm").open(),
                (checkpoints, comm) -> recovers(checkpoints, 1));
        run.setRestart("1", "warm");
        run.runOn(NODES, (checkpoints, comm) -> recovers(checkpoints, 1));
        assertThat(PathStatus.entries(left)).noneMatch(NodeBranchTest::isWholePart);
        run.setRestart("1", parent);
        run.runOn(NODES, (checkpoints, comm) -> recovers(checkpoints, 3));
    }

    /** On a login node, which sees the parallel file system only. */
    @Test
    void theCatalogueSaysWhoCanChooseWhatIsOnNodes() throws IOException {
        RunFixture run = parent("3", Level.L2, Map.of());
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(run, parent);
        String config = Files.readString(run.config());
        RunCatalogue catalogue = RunCatalogue.open(run.config(), directory);
        assertThatThrownBy(() -> catalogue.restore(parent, 2, null))
                .hasMessageContaining("there are: 1 (l4, ")
                .hasMessageContaining("set [drumlin] from = 2 in the configuration file");
        assertThat(files(run, parent)).isEqualTo(before);
        assertThat(run.config()).hasContent(config);
        Files.writeString(run.config(), config + "\n[drumlin]\nfrom = 2\n");
        run.runOn(NODES, (checkpoints, comm) -> recovers(checkpoints, 2));
    }

    private static boolean isWholePart(Path entry) {
        String name = entry.getFileName().toString();
        return name.startsWith("drumlin-branch-") && !name.endsWith(".part");
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1"})
    void aBranchSurvivesSomeKills(String ioMode, int level) throws IOException {
        killed(ioMode, level, 9);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 3", "3, 1", "3, 2", "3, 3", "4, 2", "5, 3"})
    void aBranchSurvivesAKillAtEveryOperation(String ioMode, int level) throws IOException {
        killed(ioMode, level, 1);
    }

    /** Kills the start that makes a branch; then another start has the checkpoint, and the parent is as it was. */
    private void killed(String ioMode, int level, int stride) throws IOException {
        RunFixture run = parent(ioMode, Level.of(level), Map.of());
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(run, parent);
        String branch = parent + "-from-2";
        boolean dead = true;
        for (int operations = random.nextInt(stride); dead; operations += stride) {
            run.setRestart("1", parent);
            DyingEngine storage = new DyingEngine(operations);
            try {
                run.runOn(NODES, builder -> builder.storage(storage).from(2).open(), (checkpoints, comm) -> {});
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("killed");
            }
            dead = storage.isDead();
            List<String> hosts = new ArrayList<>(NODES);
            Collections.shuffle(hosts, random);
            boolean direct =
                    random.nextBoolean() && Files.exists(run.directory().resolve("Meta/" + branch));
            try {
                if (direct) {
                    run.setRestart("1", branch);
                    run.runOn(hosts, (checkpoints, comm) -> recovers(checkpoints, 2));
                } else {
                    run.setRestart("1", parent);
                    recovers(run, hosts, 2, 2);
                    branch = run.restartValue("exec_id");
                }
            } catch (IOException | AssertionError e) {
                throw new AssertionError("after " + operations + " operations, then on " + hosts, e);
            }
            assertThat(files(run, parent)).isEqualTo(before);
            assertThat(files(run, branch).keySet()).noneMatch(name -> name.contains("drumlin-branch-"));
            for (Path each : PathStatus.entries(run.directory().resolve("Meta"))) {
                String name = each.getFileName().toString();
                if (!name.equals(parent)) {
                    delete(run, name);
                }
            }
            branch = parent + "-from-2";
        }
    }

    private static void delete(RunFixture run, String execId) throws IOException {
        NioEngine storage = new NioEngine();
        DirectoryTree.delete(run.directory().resolve("Meta").resolve(execId), storage);
        DirectoryTree.delete(run.directory().resolve("Global").resolve(execId), storage);
        for (String node : NODES) {
            DirectoryTree.delete(run.localRoot(node).resolve(execId), storage);
        }
    }
}
