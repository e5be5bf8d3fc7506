package io.drumlin.checkpoint.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Deleted;
import io.drumlin.checkpoint.RunCatalogue.Restored;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.fixture.ForeignLease;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.internal.HostName;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists, restores, deletes and prunes the checkpoints of all runs of a configuration file. */
@Tag("exhaustive")
class RunCatalogueTest {

    private static final Rule OF_FILE = new Rule(null, null, null);

    @TempDir
    Path directory;

    /** A run of two ranks with checkpoints 2 to 6 of level 4 and 7 of level 1. */
    private RunFixture run(String ioMode) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "5"));
        run.run(2, (checkpoints, comm) -> {
            Pair.take(checkpoints, Level.L4, 1, 2, 3, 4, 5, 6);
            Pair.take(checkpoints, Level.L1, 7);
        });
        return run;
    }

    private RunCatalogue catalogue() throws IOException {
        return RunCatalogue.open(directory.resolve("config.fti"), directory);
    }

    /** All files with their contents, without the record of starts. */
    private Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file :
                    all.filter(path -> !path.endsWith("drumlin-starts")).toList()) {
                String text = Files.isRegularFile(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
                files.put(directory.relativize(file).toString(), text);
            }
        }
        return files;
    }

    private static List<String> names(Run run) {
        return run.checkpoints().stream()
                .map(each -> each.ckptId() + " " + String.join(",", each.folders()) + " " + each.state())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void everyCheckpointIsListed(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        Run run = catalogue().runs(true).get(0);
        assertThat(run.execId()).isEqualTo(execId);
        assertThat(run.isNamed()).isTrue();
        assertThat(run.isOpen()).isFalse();
        assertThat(run.problem()).isNull();
        assertThat(names(run))
                .containsExactlyInAnyOrder(
                        "7 l1 WHOLE",
                        "6 l4 WHOLE",
                        "5 l4_archive WHOLE",
                        "4 l4_archive WHOLE",
                        "3 l4_archive WHOLE",
                        "2 l4_archive WHOLE");
        for (Checkpoint each : run.checkpoints()) {
            assertThat(each.ranks()).isEqualTo(2);
            assertThat(each.bytes()).isPositive();
            assertThat(Objects.requireNonNull(each.time())).isBeforeOrEqualTo(Instant.now());
            assertThat(each.start())
                    .contains("\"ranks\":2", "\"ckpt_io\":" + ioMode, "\"nodes\":[\"" + HostName.read());
        }
        Path damaged = PathStatus.entries(directory.resolve("Global/" + execId + "/l4_archive"))
                .get(0);
        Files.write(damaged, new byte[10]);
        assertThat(names(catalogue().run(execId, true))).contains("2 l4_archive LOST", "3 l4_archive WHOLE");
    }

    /** The archive has an earlier checkpoint with the id of the one at level 4. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void ofTwoCheckpointsWithOneIdTheLaterIsRestored(String ioMode) throws IOException {
        RunFixture fixture = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "3"));
        fixture.run(2, (checkpoints, comm) -> {
            for (int value : new int[] {1, 2, 3}) {
                checkpoints.protect(0, new int[] {value, comm.rank()});
                checkpoints.checkpoint(value == 2 ? 2 : 1, Level.L4);
            }
        });
        String execId = fixture.restartValue("exec_id");
        Path global = directory.resolve("Global").resolve(execId);
        Instant early = Instant.parse("2026-03-01T00:00:00Z");
        List<Integer> ids = new ArrayList<>();
        fixture.takenAt(execId, each -> {
            ids.add(each.ckptId());
            return early.plusSeconds(60L * (ids.size() - 1));
        });
        catalogue().restore(execId, 1, "later");
        Pair.recovers(fixture, 1, 3);
        fixture.setRestart("1", execId);
        catalogue().restoreLatestBefore(execId, early.plusSeconds(1), "earlier");
        Pair.recovers(fixture, 1, 1);
        fixture.setRestart("1", execId);
        for (Path file : PathStatus.entries(global.resolve("l4"))) {
            Files.write(file, new byte[10]);
        }
        assertThatThrownBy(() -> catalogue().restore(execId, 1, "damaged"))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("damaged or not complete")
                .hasMessageContaining("another one with this id (l4_archive, 2026-03-01T00:00:00Z)");
    }

    /** One damaged run does not hide the others. */
    @Test
    void aRunThatCannotBeSurveyedIsNamed() throws IOException {
        RunFixture fixture = run("3");
        String execId = fixture.restartValue("exec_id");
        fixture.setRestart("0", execId);
        fixture.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1));
        Files.writeString(directory.resolve("Meta/" + execId + "/Topology.fti"), "no topology");
        List<Run> runs = catalogue().runs(false);
        assertThat(runs).hasSize(2);
        for (Run run : runs) {
            if (run.execId().equals(execId)) {
                assertThat(run.problem()).contains("Topology.fti");
                assertThat(run.checkpoints()).hasSize(6).allMatch(each -> each.state() == null);
            } else {
                assertThat(run.problem()).isNull();
                assertThat(names(run)).containsExactly("1 l4 WHOLE");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aRestoredCheckpointIsWhatTheNextStartRecovers(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        String config = Files.readString(fixture.config());
        Restored restored = catalogue().restore(execId, 3, null);
        assertThat(restored).isEqualTo(new Restored(execId, 3, execId + "-from-3", execId, 1));
        assertThat(Files.readString(fixture.config())).isEqualTo(config.replace(execId, execId + "-from-3"));
        Pair.recovers(fixture, 3);
        Run branch = catalogue().run(execId + "-from-3", false);
        assertThat(branch.parent()).isEqualTo(execId);
        assertThat(branch.parentCkptId()).isEqualTo(3);
        // Back again.
        fixture.setRestart("1", execId);
        Pair.recovers(fixture, 7);
        // From level 1, and by its time.
        fixture.takenAt(execId, each -> Instant.parse("2026-03-01T00:00:00Z").plusSeconds(1L * 3600 * each.ckptId()));
        assertThat(catalogue().restoreLatestBefore(execId, Instant.parse("2026-03-01T05:30:00Z"), "five"))
                .isEqualTo(new Restored(execId, 5, "five", execId, 1));
        Pair.recovers(fixture, 5);
        assertThat(catalogue().restore(execId, 7, "seven").branch()).isEqualTo("seven");
        Pair.recovers(fixture, 7);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aDamagedCheckpointIsNotRestored(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        Path file = PathStatus.entries(directory.resolve("Global/" + execId + "/l4_archive"))
                .get(0);
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
        Map<String, String> before = files();
        assertThatThrownBy(() -> catalogue().restore(execId, 2, null)).hasMessageContaining("it is damaged");
        assertThat(files()).isEqualTo(before);
        catalogue().restore(execId, 3, null);
        Pair.recovers(fixture, 3);
    }

    /** A restart does without it, too: it tells only the numbers of ranks and the modes. */
    @ParameterizedTest
    @CsvSource({"nb_procs +=, nb_procs 9", "is_dcp( +)= f, is_dcp$1=\0f"})
    void aDamagedListOfCheckpointsIsNamedAndHidesNone(String line, String damaged) throws IOException {
        RunFixture fixture = run("3");
        String execId = fixture.restartValue("exec_id");
        List<String> before = names(catalogue().run(execId, true));
        Path list = directory.resolve("Meta/" + execId + "/Checkpoint.fti");
        Files.writeString(list, Files.readString(list).replaceFirst(line, damaged));
        Run run = catalogue().run(execId, true);
        assertThat(names(run)).isEqualTo(before);
        assertThat(run.problem()).contains("Checkpoint.fti");
        // A branch needs the number of ranks that is in it.
        assertThatThrownBy(() -> catalogue().restore(execId, 3, null)).hasMessageContaining("Checkpoint.fti");
    }

    @Test
    void refusesWhatCannotBeRestored() throws IOException {
        RunFixture fixture = run("3");
        String execId = fixture.restartValue("exec_id");
        Map<String, String> before = files();
        assertThatThrownBy(() -> catalogue().restore(execId, 1, null)).hasMessageContaining("there is no checkpoint 1");
        assertThatThrownBy(() -> catalogue().restore("other", 3, null)).hasMessageContaining("there is no run other");
        assertThatThrownBy(() -> catalogue().restore("../x", 3, null))
                .hasMessageContaining("is not the name of a file");
        assertThatThrownBy(() -> catalogue().restore(execId, 3, "a/b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> catalogue().restore(execId, 3, "a.drumlin-part"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> catalogue().restore(execId, 3, execId)).hasMessageContaining("of this name already");
        assertThat(files()).isEqualTo(before);
        Files.writeString(
                fixture.config(), Files.readString(fixture.config()).replace("[drumlin]", "[drumlin]\nfrom = 2"));
        assertThatThrownBy(() -> catalogue().restore(execId, 3, null))
                .hasMessageContaining("would choose a checkpoint again");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void anArchivedCheckpointIsDeleted(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        catalogue().restore(execId, 3, null);
        Map<String, String> before = files();
        assertThat(catalogue().delete(execId, 4, true).bytes()).isPositive();
        assertThat(files()).isEqualTo(before);
        assertThat(catalogue().delete(execId, 4, false).what()).containsExactly(execId + "/4");
        // The branch has these files, too.
        assertThat(catalogue().delete(execId, 3, false).bytes()).isLessThan(ioMode.equals("3") ? 1 : 2000);
        assertThat(names(catalogue().run(execId, true)))
                .containsExactlyInAnyOrder("7 l1 WHOLE", "6 l4 WHOLE", "5 l4_archive WHOLE", "2 l4_archive WHOLE");
        assertThat(catalogue().remains()).isEmpty();
        assertThatThrownBy(() -> catalogue().delete(execId, 6, false)).hasMessageContaining("at a level");
        assertThatThrownBy(() -> catalogue().delete(execId, 9, false)).hasMessageContaining("not in the archive");
        Pair.recovers(fixture, 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void aRunIsDeleted(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        assertThatThrownBy(() -> catalogue().deleteRun(execId, false, false)).hasMessageContaining("--force");
        catalogue().restore(execId, 3, "warm");
        String config = Files.readString(fixture.config());
        Deleted done = catalogue().deleteRun(execId, false, false);
        assertThat(done.bytes()).isPositive();
        assertThat(done.elsewhere()).isEmpty();
        assertThat(Files.readString(fixture.config())).isEqualTo(config);
        assertThat(files().keySet()).noneMatch(each -> each.contains(execId));
        Pair.recovers(fixture, 3);
        catalogue().deleteRun("warm", true, false);
        assertThat(catalogue().runs(false)).isEmpty();
        assertThatThrownBy(() -> Pair.recovers(fixture, 3)).hasMessageContaining("there is no run warm");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void whatIsNotKeptIsPruned(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        fixture.takenAt(execId, each -> Instant.parse("2026-03-01T00:00:00Z").plusSeconds(1L * 3600 * each.ckptId()));
        assertThat(catalogue().prune(List.of(execId), OF_FILE, false).what()).isEmpty();
        Map<String, String> before = files();
        Deleted plan = catalogue().prune(List.of(execId), new Rule("3", null, null), true);
        assertThat(plan.what()).containsExactlyInAnyOrder(execId + "/2", execId + "/3");
        assertThat(plan.bytes()).isPositive();
        assertThat(files()).isEqualTo(before);
        assertThat(catalogue().prune(List.of(execId), new Rule("3", null, null), false))
                .isEqualTo(plan);
        assertThat(names(catalogue().run(execId, true)))
                .containsExactlyInAnyOrder("7 l1 WHOLE", "6 l4 WHOLE", "5 l4_archive WHOLE", "4 l4_archive WHOLE");
        // Without level 4 the newest of the archive is the current one.
        Path damaged = PathStatus.entries(directory.resolve("Global/" + execId + "/l4"))
                .get(0);
        Files.delete(damaged);
        assertThat(catalogue()
                        .prune(List.of(execId), new Rule("1", null, null), false)
                        .what())
                .containsExactly(execId + "/4");
        assertThatThrownBy(() -> catalogue().prune(List.of(execId), new Rule("0", null, null), false))
                .hasMessageContaining("keep");
    }

    /** A process that is alive holds the lease of the run, or of the one that the configuration names. */
    @Test
    void aRunThatAJobHasOpenIsNotChanged() throws IOException {
        RunFixture fixture = run("3");
        String execId = fixture.restartValue("exec_id");
        catalogue().restore(execId, 3, "warm");
        Path lease = directory.resolve("Meta/warm/drumlin-lease");
        List<ForeignLease> foreign = new ArrayList<>();
        fixture.run(2, (checkpoints, comm) -> {
            if (comm.rank() == 0) {
                foreign.add(new ForeignLease(lease));
            }
        });
        foreign.get(0).pretend();
        Map<String, String> before = files();
        String active = "another job is running with this run's directories";
        assertThatThrownBy(() -> catalogue().restore(execId, 2, null)).hasMessageContaining(active);
        assertThatThrownBy(() -> catalogue().restore("warm", 3, null)).hasMessageContaining(active);
        assertThatThrownBy(() -> catalogue().deleteRun("warm", true, false)).hasMessageContaining(active);
        assertThat(catalogue().prune(List.of("warm"), OF_FILE, false).refused())
                .singleElement()
                .asString()
                .contains(active);
        assertThat(catalogue().run("warm", false).isOpen()).isTrue();
        assertThat(files()).isEqualTo(before);
    }

    /** Who makes a branch has the lease of its parent; a time of the directory would not tell whether somebody does. */
    @Test
    void halfMadeBranchesGoUnlessSomebodyMakesThem() throws IOException {
        RunFixture fixture = run("3");
        String execId = fixture.restartValue("exec_id");
        Path part = Files.createDirectory(directory.resolve("Meta/warm.drumlin-part"));
        Files.writeString(part.resolve("drumlin-branch"), "[branch]\nparent = " + execId + "\n");
        Files.writeString(
                Files.createDirectories(directory.resolve("Global/warm/l4")).resolve("Ckpt1-Rank0.fti"), "x");
        Files.setLastModifiedTime(part, FileTime.from(Instant.EPOCH));
        assertThat(catalogue().remains()).containsExactly(part);
        assertThat(catalogue().runs(false)).hasSize(1);
        Path lease = directory.resolve("Meta/" + execId + "/drumlin-lease");
        List<ForeignLease> foreign = new ArrayList<>();
        fixture.run(2, (checkpoints, comm) -> {
            if (comm.rank() == 0) {
                foreign.add(new ForeignLease(lease));
            }
        });
        foreign.get(0).pretend();
        Deleted refused = catalogue().prune(List.of(execId), OF_FILE, false);
        assertThat(refused.remains()).isEmpty();
        assertThat(refused.refused()).first().asString().startsWith("warm: ").contains("another job is running");
        assertThat(directory.resolve("Global/warm/l4/Ckpt1-Rank0.fti")).exists();
        Files.delete(lease);
        Deleted done = catalogue().prune(List.of(execId), OF_FILE, false);
        assertThat(done.remains()).containsExactly(part);
        assertThat(done.bytes()).isEqualTo(1);
        assertThat(part).doesNotExist();
        assertThat(directory.resolve("Global/warm")).doesNotExist();
    }

    /** Another machine may have levels 1 to 3 of the run: nothing else gets its name. */
    @Test
    void theNameOfARunOnOtherNodesStaysTaken() throws IOException {
        RunFixture fixture = new RunFixture(directory, "advanced.local_test=0, node_size=1, drumlin.keep=5");
        List<String> hosts = List.of("a", "b");
        fixture.runOn(hosts, (checkpoints, comm) -> {
            for (int id = 1; id <= 3; id++) {
                Pair.take(checkpoints, Level.L4, id);
            }
        });
        String execId = fixture.restartValue("exec_id");
        catalogue().restore(execId, 2, "warm");
        fixture.runOn(hosts, (checkpoints, comm) -> {
            int[] values = {0, 0};
            checkpoints.protect(0, values);
            checkpoints.recover();
            assertThat(values).containsExactly(2, comm.rank());
            Pair.take(checkpoints, Level.L1, 9);
        });
        assertThat(catalogue().deleteRun("warm", true, false).elsewhere()).containsExactly("a", "b");
        fixture.setRestart("1", execId);
        assertThatThrownBy(() -> catalogue().restore(execId, 2, "warm")).hasMessageContaining("of this name already");
        assertThat(catalogue().runs(false)).hasSize(1);
    }

    /** With the configuration of another mode nothing can be said about them, least of all that they are lost. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void whatAnotherModeHasStoredIsNotCalledLost(String ioMode) throws IOException {
        RunFixture fixture = run(ioMode);
        String execId = fixture.restartValue("exec_id");
        String text = Files.readString(fixture.config());
        Files.writeString(
                fixture.config(),
                text.replaceAll("(?m)^ckpt_io *=.*", "ckpt_io = " + (ioMode.equals("1") ? "3" : "1")));
        assertThat(catalogue().run(execId, false).checkpoints()).isNotEmpty().allMatch(each -> each.state() == null);
    }

    @Test
    void startsAreRecorded() throws IOException {
        RunFixture fixture = run("1");
        Path starts = directory.resolve("Meta/" + fixture.restartValue("exec_id") + "/drumlin-starts");
        assertThat(Files.readString(starts)).endsWith("}\n").containsPattern("^\\{\"time\":\"20\\d\\d-");
        Files.writeString(starts, Files.readString(starts) + "{\"time\":\"2026-cut");
        Pair.recovers(fixture, 7);
        assertThat(Files.readAllLines(starts)).hasSize(3);
        assertThat(Files.readString(starts)).contains("\"program\":\"", "\"config\":\"" + fixture.config() + "\"");
        String line = Files.readAllLines(starts).get(0) + "\n";
        Files.writeString(starts, line.repeat((1 << 20) / line.length()));
        Pair.recovers(fixture, 7);
        assertThat(Files.size(starts)).isBetween((1L << 19) - 2000, (1L << 19) + 4000);
    }

    /** A run goes on if its starts cannot be recorded. */
    @Test
    void aStartNeedsNoRecord() throws IOException {
        RunFixture fixture = run("3");
        Path starts = directory.resolve("Meta/" + fixture.restartValue("exec_id") + "/drumlin-starts");
        Files.delete(starts);
        Files.createDirectory(starts);
        Pair.recovers(fixture, 7);
        assertThat(catalogue().runs(false).get(0).checkpoints()).hasSize(6).allMatch(each -> each.start() == null);
    }
}
