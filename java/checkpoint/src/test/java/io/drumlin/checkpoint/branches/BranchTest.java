package io.drumlin.checkpoint.branches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.ForeignLease;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts from a checkpoint that the program chooses. */
@Tag("exhaustive")
class BranchTest {

    @TempDir
    Path directory;

    /** A run that has taken checkpoints 1 to 6, whose values are their ids. */
    private RunFixture parent(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "5"));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4, 1, 2, 3, 4, 5, 6);
        });
        return run;
    }

    /** All files of a run with their contents. */
    private Map<String, String> files(String execId) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(file).toString();
                if (List.of(name.split("/")).contains(execId)) {
                    files.put(name, Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1));
                }
            }
        }
        return files;
    }

    private static void set(RunFixture run, String key, String value) throws IOException {
        String text = Files.readString(run.config());
        Files.writeString(run.config(), text.replaceAll("(?m)^" + key + " *=.*", key + " = " + value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aBranchBeginsWithTheChosenCheckpointAndItsParentStays(String ioMode) throws IOException {
        RunFixture run = parent(ioMode);
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(parent);
        RunFixture.Setting choice = (builder, rank) -> builder.from(3);
        run.run(2, choice, (checkpoints, comm) -> {
            Pair.recovers(checkpoints, 3, 3);
            Pair.take(checkpoints, 4, Level.L1, 104);
            Pair.take(checkpoints, 5, Level.L4, 105);
        });
        String branch = run.restartValue("exec_id");
        assertThat(branch).isEqualTo(parent + "-from-3");
        assertThat(files(parent)).isEqualTo(before);

        // The job comes again with the same program.
        run.run(2, choice, (checkpoints, comm) -> {
            Pair.recovers(checkpoints, 5, 105);
            checkpoints.complete();
        });
        assertThat(files(parent)).isEqualTo(before);

        set(run, "exec_id", parent);
        set(run, "failure", "1");
        run.run(2, (checkpoints, comm) -> Pair.recovers(checkpoints, 6, 6));
        // A second branch from the same state is another run.
        run.run(2, choice, (checkpoints, comm) -> Pair.recovers(checkpoints, 3, 3));
        assertThat(run.restartValue("exec_id")).isEqualTo(parent + "-from-3.2");
    }

    /** The program of another run, or one that was changed. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aProgramWithOtherVariablesIsRefusedAndNothingIsLost(String ioMode) throws IOException {
        RunFixture run = parent(ioMode);
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(parent);
        RunFixture.Setting choice = (builder, rank) -> builder.from(3);
        run.run(2, choice, (checkpoints, comm) -> {
            int[] longer = {7, 7, 7};
            checkpoints.protect(0, longer);
            assertThatThrownBy(checkpoints::recover)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("are stored");
            assertThat(longer).containsOnly(7);
        });
        assertThat(files(parent)).isEqualTo(before);
        run.run(2, choice, (checkpoints, comm) -> Pair.recovers(checkpoints, 3, 3));
        assertThat(run.restartValue("exec_id")).isEqualTo(parent + "-from-3");
        assertThat(files(parent)).isEqualTo(before);
    }

    @Test
    void branchesShareFiles() throws IOException {
        RunFixture run = parent("3");
        String parent = run.restartValue("exec_id");
        Files.writeString(
                run.config(),
                Files.readString(run.config()).replace("[drumlin]", "[drumlin]\nfrom = 2\nbranch = warm"));
        run.run(2, (checkpoints, comm) -> Pair.recovers(checkpoints, 2, 2));
        assertThat(run.restartValue("exec_id")).isEqualTo("warm");
        for (Path file : PathStatus.entries(directory.resolve("Global/warm/l4"))) {
            Path original =
                    directory.resolve("Global/" + parent + "/l4_archive").resolve(file.getFileName());
            assertThat(Files.isSameFile(file, original)).isTrue();
        }
        set(run, "exec_id", parent);
        assertThatThrownBy(() -> run.run(2, (checkpoints, comm) -> {}))
                .hasMessageContaining("there is something of this name already")
                .hasMessageContaining("set exec_id = warm");
    }

    /** A start that fails after the branch was made finds it again. */
    @Test
    void aStartThatFailsLeavesOneBranch() throws IOException {
        RunFixture run = parent("1");
        String parent = run.restartValue("exec_id");
        Path damaged = directory.resolve("Global/" + parent + "/l4_archive/Ckpt3-Rank1.fti");
        byte[] bytes = Files.readAllBytes(damaged);
        Files.write(damaged, new byte[10]);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.from(3), (checkpoints, comm) -> {}))
                    .hasMessageContaining("at no level");
        }
        assertThat(run.restartValue("exec_id")).isEqualTo(parent);
        Files.write(damaged, bytes);
        run.run(2, (builder, rank) -> builder.from(3), (checkpoints, comm) -> Pair.recovers(checkpoints, 3, 3));
        try (Stream<Path> runs = Files.list(directory.resolve("Meta"))) {
            assertThat(runs.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder(parent, parent + "-from-3");
        }
    }

    @Test
    void theLatestBeforeATime() throws IOException {
        RunFixture run = parent("3");
        Instant noon = Instant.parse("2026-03-01T12:00:00Z");
        run.takenAt(run.restartValue("exec_id"), each -> noon.plusSeconds(3600L * each.ckptId()));
        run.run(
                2,
                (builder, rank) ->
                        builder.fromLatestBefore(noon.plusSeconds(5 * 3600 - 1)).branch("fourth"),
                (checkpoints, comm) -> Pair.recovers(checkpoints, 4, 4));
        assertThat(run.restartValue("exec_id")).isEqualTo("fourth");
    }

    /** The nodes of one machine have the checkpoint. */
    @ParameterizedTest
    @CsvSource({"1, L1", "1, L2", "1, L3", "3, L1", "3, L2", "3, L3", "5, L2"})
    void aCheckpointOnTheNodes(String ioMode, Level level) throws IOException {
        RunFixture run = new RunFixture(directory, "ckpt_io=" + ioMode + ", node_size=1, group_size=2");
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, 1, Level.L4, 1);
            Pair.take(checkpoints, 2, level, 2);
        });
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(parent);
        for (int id : new int[] {1, 2}) {
            set(run, "exec_id", parent);
            run.run(2, (builder, rank) -> builder.from(id), (checkpoints, comm) -> Pair.recovers(checkpoints, id, id));
            assertThat(files(parent)).isEqualTo(before);
        }
        // What one node has lost is made again from the branch's own files.
        try (Stream<Path> lost = Files.walk(directory.resolve("Local/node1/" + parent + "-from-2/"))) {
            if (level != Level.L1) {
                lost.filter(Files::isRegularFile).forEach(file -> file.toFile().delete());
            }
        }
        run.run(2, (builder, rank) -> builder.from(2), (checkpoints, comm) -> Pair.recovers(checkpoints, 2, 2));
    }

    /** The branch that a kill has left half-made began with a newer checkpoint, which its nodes have. */
    @Test
    void whatAKillHasLeftOnTheNodesIsNotRecovered() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1"));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, 1, Level.L4, 1);
            Pair.take(checkpoints, 2, Level.L1, 2);
        });
        String parent = run.restartValue("exec_id");
        for (String node : List.of("node0", "node1")) {
            Path files = directory.resolve("Local").resolve(node);
            Path half = Files.createDirectories(files.resolve("warm/l1"));
            for (Path file : PathStatus.entries(files.resolve(parent + "/l1"))) {
                Files.createLink(half.resolve(file.getFileName()), file);
            }
        }
        Files.createDirectory(directory.resolve("Meta/warm.drumlin-part"));
        run.run(
                2,
                (builder, rank) -> builder.from(1).branch("warm"),
                (checkpoints, comm) -> Pair.recovers(checkpoints, 1, 1));
        assertThat(PathStatus.entries(directory.resolve("Meta"))).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void metadataMayBeBesideTheData(String ioMode) throws IOException {
        String global = directory.resolve("Global").toString();
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "basic.meta_dir", global));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, 2, Level.L4, 2);
        });
        run.run(2, (builder, rank) -> builder.from(2), (checkpoints, comm) -> Pair.recovers(checkpoints, 2, 2));
        run.run(2, (builder, rank) -> builder.from(2), (checkpoints, comm) -> Pair.recovers(checkpoints, 2, 2));
    }

    /** A directory that is no run's stays: the stashes of all runs are beside those of the runs. */
    @Test
    void aBranchDoesNotTakeTheDirectoryOfSomethingElse() throws IOException {
        RunFixture run = parent("3");
        Path stash =
                Files.createDirectories(directory.resolve("Global/stash/1")).resolve("Ckpt1-Rank0.fti");
        Files.writeString(stash, "a stash");
        assertThatThrownBy(
                        () -> run.run(2, (builder, rank) -> builder.from(3).branch("stash"), (checkpoints, comm) -> {}))
                .hasMessageContaining("there is something of this name already")
                .hasMessageContaining("Global/stash");
        assertThat(stash).hasContent("a stash");
    }

    @Test
    void refusesWhatCannotBe() throws IOException {
        RunFixture run = parent("3");
        String parent = run.restartValue("exec_id");
        Map<String, String> before = files(parent);
        assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.from(1), (checkpoints, comm) -> {}))
                .hasMessageContaining("there is no checkpoint 1 that a branch can begin with")
                .hasMessageContaining("there are: 2 (l4_archive")
                .hasMessageContaining("6 (l4,");
        assertThatThrownBy(() -> new EngineBuilder(run.config()).branch("a/b"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EngineBuilder(run.config()).from(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(files(parent)).isEqualTo(before);
        set(run, "failure", "0");
        assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.from(3), (checkpoints, comm) -> {}))
                .hasMessageContaining("failure = 0 means a fresh start");
        assertThat(files(parent)).isEqualTo(before);
    }

    /** A job was killed while it put checkpoint 6 into its place. */
    @Test
    void saysWhatToDoAboutAnUnfinishedCommit() throws IOException {
        RunFixture run = parent("3");
        Path global = directory.resolve("Global/" + run.restartValue("exec_id"));
        Files.move(global.resolve("l4"), global.resolve("tmp"));
        assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.from(6), (checkpoints, comm) -> {}))
                .hasMessageContaining("there is no checkpoint 6 that a branch can begin with")
                .hasMessageContaining("a restart of the run (failure = 1) finishes that");
        run.run(2, (checkpoints, comm) -> {});
        run.run(2, (builder, rank) -> builder.from(6), (checkpoints, comm) -> {});
    }

    /** Another job has the run open: a process that is alive holds the lease. */
    @Test
    void anActiveRunHasNoBranches() throws IOException {
        RunFixture run = parent("3");
        Path lease = directory.resolve("Meta/" + run.restartValue("exec_id") + "/drumlin-lease");
        List<ForeignLease> foreign = new ArrayList<>();
        run.run(2, (checkpoints, comm) -> {
            if (comm.rank() == 0) {
                foreign.add(new ForeignLease(lease));
            }
        });
        foreign.get(0).pretend();
        Map<String, String> before = files(run.restartValue("exec_id"));
        assertThatThrownBy(() -> run.run(2, (builder, rank) -> builder.from(3), (checkpoints, comm) -> {}))
                .hasMessageContaining("another job is running with this run's directories");
        assertThat(files(run.restartValue("exec_id"))).isEqualTo(before);
        assertThat(PathStatus.entries(directory.resolve("Meta"))).hasSize(1);
    }
}
