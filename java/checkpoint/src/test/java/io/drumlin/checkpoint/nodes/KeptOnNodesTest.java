package io.drumlin.checkpoint.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Distribution;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.storage.DyingEngine;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Earlier checkpoints of levels 1 to 3 that stay on the nodes: {@code keep_l1}, {@code keep_l2} and {@code keep_l3}. */
@Tag("exhaustive")
class KeptOnNodesTest extends RunsOnNodes {

    /** Begins a branch, and comes back to the parent. */
    private static void recovers(RunFixture run, List<String> hosts, String parent, int ckptId) throws IOException {
        run.setRestart("1", parent);
        run.runOn(hosts, builder -> builder.from(ckptId).open(), (checkpoints, comm) -> recovers(checkpoints, ckptId));
        run.setRestart("1", parent);
    }

    /** The checkpoints that are kept below a root, as l1-12. */
    private static List<String> kept(Path root) throws IOException {
        return PathStatus.entries(root).stream()
                .map(entry -> entry.getFileName().toString())
                .filter(name -> name.startsWith("drumlin-kept-") || name.startsWith("drumlin-dropped-"))
                .map(name -> name.replace("drumlin-kept-", ""))
                .toList();
    }

    private static List<String> kept(RunFixture run, String host) throws IOException {
        return kept(run.localRoot(host).resolve(run.restartValue("exec_id")));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 3", "3, 2", "4, 2", "5, 3"})
    void earlierOnesStayAndCanBeChosen(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of("drumlin.keep_l" + level, "3"));
        run.runOn(NODES, (checkpoints, comm) -> {
            for (int id = 1; id <= 5; id++) {
                take(checkpoints, id, Level.of(level));
            }
        });
        String parent = run.restartValue("exec_id");
        List<String> expected = List.of("l" + level + "-3", "l" + level + "-4");
        for (String node : NODES) {
            assertThat(kept(run, node)).isEqualTo(expected);
        }
        assertThat(kept(run.directory().resolve("Meta").resolve(parent)))
                .isEqualTo(ioMode.equals("3") ? List.of() : expected);
        List<String> hosts = new ArrayList<>(NODES);
        if (level > 1) {
            int lost = random.nextInt(hosts.size());
            run.loseDisk(hosts.get(lost));
            hosts.set(lost, "n9");
        }
        Collections.shuffle(hosts, random);
        for (int id = 3; id <= 5; id++) {
            recovers(run, hosts, parent, id);
        }
        assertThatThrownBy(() -> recovers(run, hosts, parent, 2)).hasMessageContaining("there is no checkpoint 2");
        run.runOn(hosts, (checkpoints, comm) -> {
            recovers(checkpoints, 5);
            take(checkpoints, 6, Level.of(level));
        });
        recovers(run, hosts, parent, 5);
        recovers(run, hosts, parent, 6);
    }

    /** A log that cannot be read now is no failure of a checkpoint. Nothing goes meanwhile. */
    @ParameterizedTest
    @CsvSource({"1, keep_l1", "4, keep"})
    void withoutTheLogAllStay(int level, String key) throws IOException {
        RunFixture run = run("3", Map.of("drumlin." + key, "2"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.of(level));
            take(checkpoints, 2, Level.of(level));
            Path log = run.directory()
                    .resolve("Meta")
                    .resolve(run.restartValue("exec_id"))
                    .resolve("drumlin-commits");
            comm.barrier();
            if (comm.rank() == 0) {
                Files.move(log, log.resolveSibling("away"));
                // To read it is an EIO.
                Files.createSymbolicLink(log, Path.of("/proc/self/mem"));
            }
            comm.barrier();
            take(checkpoints, 3, Level.of(level));
            comm.barrier();
            if (comm.rank() == 0) {
                Files.delete(log);
                Files.move(log.resolveSibling("away"), log);
            }
            comm.barrier();
            take(checkpoints, 4, Level.of(level));
        });
        String parent = run.restartValue("exec_id");
        recovers(run, NODES, parent, 3);
        recovers(run, NODES, parent, 4);
        assertThatThrownBy(() -> recovers(run, NODES, parent, 2)).hasMessageContaining("there is no checkpoint 2");
    }

    /** The metadata alone say how old the files of the nodes are: without them nobody would delete what a node still has. */
    @Test
    void theMetadataGoLast() throws IOException {
        RunFixture run = run("1", Map.of("drumlin.keep_l2", "2"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L2);
            take(checkpoints, 2, Level.L2);
        });
        String parent = run.restartValue("exec_id");
        Path node = run.localRoot(NODES.get(NODES.size() - 1));
        NioEngine real = new NioEngine();
        StorageEngine killed = (StorageEngine) Proxy.newProxyInstance(
                KeptOnNodesTest.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("rename")
                            && arguments[0] instanceof Path from
                            && from.startsWith(node)
                            && from.endsWith("drumlin-kept-l2-1")) {
                        throw new IOException("killed");
                    }
                    return called(real, method, arguments);
                });
        assertThatThrownBy(() ->
                        run.runOn(NODES, builder -> builder.storage(killed).open(), (checkpoints, comm) -> {
                            recovers(checkpoints, 2);
                            take(checkpoints, 3, Level.L2);
                        }))
                .hasStackTraceContaining("killed");
        assertThat(kept(run.directory().resolve("Meta").resolve(parent))).contains("l2-1");
        run.setRestart("1", parent);
        run.runOn(NODES, (checkpoints, comm) -> {
            recovers(checkpoints, 3);
            take(checkpoints, 4, Level.L2);
        });
        for (String each : NODES) {
            assertThat(kept(run, each)).containsExactly("l2-3");
        }
    }

    private static Object called(StorageEngine engine, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(engine, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A checkpoint of a higher level supersedes those of lower ones, which are kept too. */
    @ParameterizedTest
    @CsvSource({"1, 0", "3, 0", "3, 1"})
    void supersededOnesStay(String ioMode, int async) throws IOException {
        RunFixture run =
                run(ioMode, Map.of("drumlin.keep_l1", "2", "drumlin.keep_l2", "2", "drumlin.async", "" + async));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L1);
            take(checkpoints, 2, Level.L1);
            take(checkpoints, 3, Level.L2);
            take(checkpoints, 4, Level.L4);
        });
        String parent = run.restartValue("exec_id");
        assertThat(kept(run, "n2")).containsExactly("l1-1", "l1-2", "l2-3");
        run.runOn(NODES, (checkpoints, comm) -> {
            recovers(checkpoints, 4);
            take(checkpoints, 5, Level.L1);
        });
        // The restart has copied checkpoint 4 to the nodes, as one of level 1.
        assertThat(kept(run, "n2")).hasSize(2).contains("l2-3");
        recovers(run, NODES, parent, 3);
        recovers(run, NODES, parent, 5);
    }

    @Test
    void withHeads() throws IOException {
        for (String inline : List.of("0", "1")) {
            RunFixture run =
                    run("3", RunFixture.settings("node_size=3, head=1, inline_l2=" + inline + ", drumlin.keep_l2=2"));
            List<String> hosts = NodeOrderTest.block(NODES, 3);
            run.runOn(hosts, (checkpoints, comm) -> {
                take(checkpoints, 1, Level.L2);
                take(checkpoints, 2, Level.L2);
                take(checkpoints, 3, Level.L2);
            });
            assertThat(kept(run, "n3")).containsExactly("l2-2");
            recovers(run, hosts, run.restartValue("exec_id"), 2);
        }
    }

    @Test
    void anIdThatIsTakenAgainReplacesTheKeptOne() throws IOException {
        RunFixture run = run("1", Map.of("drumlin.keep_l2", "3"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L2, 7);
            take(checkpoints, 2, Level.L2);
            take(checkpoints, 1, Level.L2);
            take(checkpoints, 3, Level.L2);
        });
        assertThat(kept(run, "n1")).containsExactly("l2-1", "l2-2");
        recovers(run, NODES, run.restartValue("exec_id"), 1);
    }

    /** Nothing advises to begin afresh while there is a kept one. */
    @ParameterizedTest
    @CsvSource({"1, false", "3, true"})
    void aRestartThatFindsNothingNamesThem(String ioMode, boolean freshStart) throws IOException {
        RunFixture run = run(ioMode, Map.of("drumlin.keep_l2", "2"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L2);
            take(checkpoints, 2, Level.L2);
        });
        String parent = run.restartValue("exec_id");
        for (String node : NODES) {
            DirectoryTree.delete(run.localRoot(node).resolve(parent).resolve("l2"), new NioEngine());
        }
        assertThatThrownBy(() -> run.runOn(
                        NODES,
                        builder -> (freshStart ? builder.freshStartIfUnrecoverable() : builder).open(),
                        (checkpoints, comm) -> {}))
                .hasMessageContaining("nodes have kept checkpoints: 1 of level 2")
                .hasMessageContaining("set [drumlin] from")
                .message()
                .doesNotContain("failure = 0");
        recovers(run, NODES, parent, 1);
    }

    /** With the topology of another number of ranks they would be taken for theirs. */
    @Test
    void anotherNumberOfRanksKeepsNone() throws IOException {
        RunFixture run = run("3", Map.of("drumlin.keep_l1", "3", "basic.group_size", "1"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L1);
            take(checkpoints, 2, Level.L1);
            checkpoints.protect(0, new int[] {comm.rank()});
            checkpoints.checkpoint(3, Level.L4);
        });
        assertThat(kept(run, "n1")).hasSize(2);
        run.runOn(List.of("n1", "n2"), builder -> builder.anyNumberOfRanks().open(), (checkpoints, comm) -> {
            checkpoints.protect(0, new int[2]);
            checkpoints.distribute(0, Distribution.block(4));
            checkpoints.recover();
            checkpoints.checkpoint(4, Level.L1);
        });
        assertThat(kept(run, "n1")).isEmpty();
    }

    @Test
    void aConfigurationWithoutThemLetsThemGoAfterTheNextCheckpoint() throws IOException {
        RunFixture run = run("1", Map.of("drumlin.keep_l2", "3"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L2);
            take(checkpoints, 2, Level.L2);
        });
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("(?m)^keep_l2 *=.*", ""));
        run.runOn(NODES, (checkpoints, comm) -> recovers(checkpoints, 2));
        assertThat(kept(run, "n1")).containsExactly("l2-1");
        run.runOn(NODES, (checkpoints, comm) -> {
            recovers(checkpoints, 2);
            take(checkpoints, 3, Level.L2);
        });
        assertThat(kept(run, "n1")).isEmpty();
        assertThat(kept(run.directory().resolve("Meta").resolve(run.restartValue("exec_id"))))
                .isEmpty();
    }

    @Test
    void aCompletedRunLeavesNone() throws IOException {
        RunFixture run = run("1", Map.of("drumlin.keep_l1", "3", "basic.keep_last_ckpt", "1"));
        run.runOn(NODES, (checkpoints, comm) -> {
            take(checkpoints, 1, Level.L1);
            take(checkpoints, 2, Level.L1);
            checkpoints.complete();
        });
        assertThat(run.files()).noneMatch(name -> name.contains("drumlin-kept"));
    }

    /** Kept ones stay where there is no room for another checkpoint, and a warning names them. */
    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1"})
    void aFullNodeKeepsThem(String ioMode, int level) throws IOException {
        RunFixture run = run(ioMode, Map.of("drumlin.keep_l" + level, "3"));
        FaultyEngine storage = new FaultyEngine(new NioEngine());
        List<String> told = EngineLog.messages(
                () -> run.runOn(NODES, builder -> builder.storage(storage).open(), (checkpoints, comm) -> {
                    take(checkpoints, 1, Level.of(level));
                    take(checkpoints, 2, Level.of(level));
                    if (comm.rank() == 0) {
                        storage.fail(Operation.ALLOCATE, 1, "ENOSPC");
                    }
                    comm.barrier();
                    assertThatThrownBy(() -> take(checkpoints, 3, Level.of(level)))
                            .isInstanceOf(IOException.class);
                    take(checkpoints, 4, Level.of(level));
                }));
        assertThat(told)
                .anyMatch(line -> line.contains("has no room for the checkpoint; 1 earlier ones are kept there")
                        && line.contains("a lower keep_l" + level));
        String parent = run.restartValue("exec_id");
        for (int id : new int[] {1, 2, 4}) {
            recovers(run, NODES, parent, id);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "3, 1"})
    void nothingIsLostInSomeKills(String ioMode, int level) throws IOException {
        killed(ioMode, level, 29);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 2", "2, 3", "3, 1", "3, 2", "3, 3", "4, 2", "5, 3"})
    void nothingIsLostInAKillAtEveryOperation(String ioMode, int level) throws IOException {
        killed(ioMode, level, 1);
    }

    /** Kills a run while it takes checkpoints 4 and 5; 3 of the level stay. */
    private void killed(String ioMode, int level, int stride) throws IOException {
        boolean dead = true;
        for (int operations = random.nextInt(stride); dead; operations += stride) {
            RunFixture run = run(ioMode, Map.of("drumlin.keep_l" + level, "3"));
            run.runOn(NODES, (checkpoints, comm) -> {
                for (int id = 1; id <= 3; id++) {
                    take(checkpoints, id, Level.of(level));
                }
            });
            String parent = run.restartValue("exec_id");
            DyingEngine storage = new DyingEngine(operations);
            TreeSet<Integer> taken = new TreeSet<>(List.of(3));
            try {
                run.runOn(NODES, builder -> builder.storage(storage).open(), (checkpoints, comm) -> {
                    recovers(checkpoints, 3);
                    for (int id = 4; id <= 5; id++) {
                        take(checkpoints, id, Level.of(level));
                        synchronized (taken) {
                            taken.add(id);
                        }
                    }
                });
            } catch (IOException e) {
                assertThat(e).hasStackTraceContaining("killed");
            }
            dead = storage.isDead();
            try {
                run.setRestart("1", parent);
                int[] last = {0};
                Level[] at = {Level.of(level)};
                run.runOn(NODES, (checkpoints, comm) -> {
                    last[0] = checkpoints.lastCheckpoint().orElseThrow();
                    at[0] = checkpoints.lastLevel().orElseThrow();
                    recovers(checkpoints, last[0]);
                });
                assertThat(last[0]).isGreaterThanOrEqualTo(taken.last());
                for (int id = last[0] - 2; id <= last[0]; id++) {
                    recovers(run, NODES, parent, id);
                }
                run.runOn(NODES, (checkpoints, comm) -> {
                    recovers(checkpoints, last[0]);
                    take(checkpoints, 9, Level.of(level));
                });
                // A kill before the metadata are written leaves a checkpoint of level 1.
                int newest = at[0] == Level.of(level) ? last[0] : last[0] - 1;
                for (String node : NODES) {
                    assertThat(kept(run, node))
                            .containsExactly("l" + level + "-" + (newest - 1), "l" + level + "-" + newest);
                }
            } catch (IOException | AssertionError e) {
                throw new AssertionError("after " + operations + " operations", e);
            }
            DirectoryTree.delete(run.directory(), new NioEngine());
        }
    }

    /** Of a level without its key the newest stays: here the last kept one, because none is in its place. */
    @Test
    void pruneLeavesTheNewestOfALevelWithoutAKey() throws IOException {
        RunFixture run = run(
                "1",
                RunFixture.settings(
                        "advanced.local_test=1, group_size=2, drumlin.keep_l1=4, drumlin.keep_l2=4, drumlin.keep=4"));
        run.run(2, (checkpoints, comm) -> {
            for (int id = 1; id <= 6; id++) {
                take(checkpoints, id, Level.of(1 + (id - 1) % 2));
            }
            take(checkpoints, 7, Level.L4);
            take(checkpoints, 8, Level.L4);
        });
        String execId = run.restartValue("exec_id");
        String text = Files.readString(run.config());
        Rule none = new Rule(null, null, null);
        Rule three = new Rule("3", null, null);
        List<String> onNode = List.of("l1-1", "l1-3", "l1-5", "l2-2", "l2-4", "l2-6");
        Path node = run.directory().resolve("Local/node0").resolve(execId);
        assertThat(kept(node)).isEqualTo(onNode);

        // Without any key nothing can be meant but an option, and nothing goes without one.
        Files.writeString(run.config(), text.replaceAll("(?m)^keep.*=.*4$", ""));
        RunCatalogue without = RunCatalogue.open(run.config(), directory);
        assertThatThrownBy(() -> without.prune(List.of(execId), none, false)).hasMessageContaining("say --keep N");
        assertThat(kept(node)).isEqualTo(onNode);
        assertThat(without.prune(List.of(execId), three, true).what())
                .containsExactlyInAnyOrder(execId + "/1", execId + "/2", execId + "/3", execId + "/4");
        assertThat(kept(node)).isEqualTo(onNode);

        Files.writeString(run.config(), text.replaceAll("(?m)^keep_l1.*=.*4$", ""));
        RunCatalogue ofLevel2 = RunCatalogue.open(run.config(), directory);
        ofLevel2.prune(List.of(execId), none, false);
        assertThat(kept(node)).containsExactly("l1-5", "l2-2", "l2-4", "l2-6");

        without.prune(List.of(execId), three, false);
        assertThat(kept(node)).containsExactly("l1-5", "l2-6");
        assertThat(without.run(execId, true).checkpoints())
                .extracting(Checkpoint::ckptId)
                .containsExactlyInAnyOrder(5, 6, 7, 8);
        run.run(2, (checkpoints, comm) -> {
            recovers(checkpoints, 8);
            take(checkpoints, 9, Level.L2);
        });
        assertThat(kept(node)).containsExactly("l1-5", "l2-6");
        assertThat(without.prune(List.of(execId), three, false).what()).containsExactly(execId + "/6");
        assertThat(kept(node)).containsExactly("l1-5");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2"})
    void theCatalogueListsChoosesAndDeletesThem(String ioMode, int level) throws IOException {
        RunFixture run =
                run(ioMode, Map.of("advanced.local_test", "1", "basic.group_size", "2", "drumlin.keep_l" + level, "4"));
        run.run(2, (checkpoints, comm) -> {
            for (int id = 1; id <= 4; id++) {
                take(checkpoints, id, Level.of(level));
            }
        });
        String parent = run.restartValue("exec_id");
        RunCatalogue catalogue = RunCatalogue.open(run.config(), directory);
        for (boolean data : new boolean[] {false, true}) {
            List<Checkpoint> listed = catalogue.run(parent, data).checkpoints();
            assertThat(listed).hasSize(4).allMatch(Checkpoint::isRecoverable);
            assertThat(listed.get(0).ckptId()).isEqualTo(4);
            assertThat(listed.stream()
                            .filter(each -> each.ckptId() == 2)
                            .findFirst()
                            .orElseThrow()
                            .folders())
                    .containsExactly("drumlin-kept-l" + level + "-2");
        }
        RunSurvey survey = RunSurvey.open(run.config(), directory, null);
        assertThat(survey.report(true).restart().orElseThrow().ckptId()).isEqualTo(4);

        String branch = catalogue.restore(parent, 2, null).branch();
        run.run(2, (checkpoints, comm) -> recovers(checkpoints, 2));
        assertThat(run.restartValue("exec_id")).isEqualTo(branch);
        run.setRestart("1", parent);

        catalogue.delete(parent, 1, true);
        assertThat(catalogue.run(parent, true).checkpoints()).hasSize(4);
        assertThat(catalogue.delete(parent, 1, false).what()).containsExactly(parent + "/1");
        assertThat(catalogue.run(parent, true).checkpoints())
                .extracting(Checkpoint::ckptId)
                .containsExactlyInAnyOrder(2, 3, 4);
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll("(keep_l\\d) *= *4", "$1 = 2"));
        RunCatalogue fewer = RunCatalogue.open(run.config(), directory);
        assertThat(fewer.prune(List.of(parent), new Rule(null, null, null), false)
                        .what())
                .containsExactly(parent + "/2");
        assertThat(fewer.run(parent, true).checkpoints()).hasSize(2).allMatch(Checkpoint::isRecoverable);
        assertThat(fewer.remains()).isEmpty();
    }
}
