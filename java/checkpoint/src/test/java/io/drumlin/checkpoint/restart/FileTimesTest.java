package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Deleted;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.run.EngineBuilder;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A copy, {@code touch}, an archive or a clock that is set gives files any times: the log says which checkpoints are older. Ids fall
 * here, so that they do not say it either.
 */
class FileTimesTest {

    @TempDir
    Path directory;

    private RunFixture run;

    private void take(Checkpoints checkpoints, Level level, int... ids) throws IOException {
        checkpoints.discardRestart();
        Pair.take(checkpoints, level, ids);
    }

    private void taken(String ioMode, Level level, Map<String, String> changes, int... ids) throws IOException {
        Map<String, String> config = new HashMap<>(changes);
        config.put("basic.ckpt_io", ioMode);
        config.put("basic.node_size", "1");
        config.put("basic.group_size", "2");
        run = new RunFixture(directory, config);
        run.run(2, (checkpoints, comm) -> take(checkpoints, level, ids));
    }

    /** The files of the oldest checkpoint become the newest. */
    private void turnTimesRound() throws IOException {
        Instant start = Instant.parse("2026-03-01T00:00:00Z");
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.toList()) {
                String id = file.toString().replaceAll(".*(?:Ckpt_?|-l[1-3]-)(\\d+).*", "$1");
                Duration after = Duration.ofHours(id.matches("\\d+") ? Long.parseLong(id) : 0);
                Files.setLastModifiedTime(file, FileTime.from(start.plus(after)));
            }
        }
    }

    private Path global() throws IOException {
        return directory.resolve("Global").resolve(run.restartValue("exec_id"));
    }

    private Path log() throws IOException {
        return directory.resolve("Meta").resolve(run.restartValue("exec_id")).resolve("drumlin-commits");
    }

    private Set<Integer> archived() throws IOException {
        Set<Integer> ids = new TreeSet<>();
        for (Path file : PathStatus.entries(global().resolve("l4_archive"))) {
            ids.add(Integer.valueOf(file.getFileName().toString().replaceAll("Ckpt(\\d+)-.*", "$1")));
        }
        return ids;
    }

    private Set<String> kept(String root) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path each : PathStatus.entries(directory.resolve(root).resolve(run.restartValue("exec_id")))) {
            names.add(each.getFileName().toString());
        }
        names.removeIf(name -> !name.startsWith("drumlin-kept-"));
        return names;
    }

    private RunCatalogue catalogue() throws IOException {
        return RunCatalogue.open(run.config(), directory);
    }

    private Deleted prune(int keep) throws IOException {
        Rule rule = new Rule(Integer.toString(keep), null, null);
        return catalogue().prune(List.of(run.restartValue("exec_id")), rule, false);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theOldestOfTheArchiveGo(String ioMode) throws IOException {
        taken(ioMode, Level.L4, Map.of("drumlin.keep", "4"), 9, 8, 7, 6);
        turnTimesRound();
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L4, 5));
        assertThat(archived()).containsExactly(6, 7, 8);
        turnTimesRound();
        assertThat(prune(3).what()).containsExactly(run.restartValue("exec_id") + "/8");
        assertThat(archived()).containsExactly(6, 7);
    }

    @ParameterizedTest
    @CsvSource({"1, L1", "3, L1", "1, L2", "3, L2", "5, L3"})
    void theOldestOnTheNodesGo(String ioMode, Level level) throws IOException {
        String key = "keep_l" + level.number();
        taken(ioMode, level, Map.of("drumlin." + key, "4"), 9, 8, 7, 6);
        turnTimesRound();
        run.run(2, (checkpoints, comm) -> take(checkpoints, level, 5));
        String name = "drumlin-kept-l" + level.number() + "-";
        List<String> roots = ioMode.equals("3")
                ? List.of("Local/node0", "Local/node1")
                : List.of("Local/node0", "Local/node1", "Meta");
        for (String root : roots) {
            assertThat(kept(root)).as(root).containsExactly(name + 6, name + 7, name + 8);
        }
        turnTimesRound();
        Files.writeString(run.config(), Files.readString(run.config()).replaceAll(key + " *=.*", key + " = 3"));
        assertThat(prune(9).what()).containsExactly(run.restartValue("exec_id") + "/8");
        for (String root : roots) {
            assertThat(kept(root)).as(root).containsExactly(name + 6, name + 7);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theArchiveIsSearchedFromTheNewestOn(String ioMode) throws IOException {
        taken(ioMode, Level.L4, Map.of("drumlin.keep", "4"), 9, 8, 7);
        turnTimesRound();
        for (Path file : PathStatus.entries(global().resolve("l4"))) {
            Files.write(file, new byte[10]);
        }
        Pair.recovers(run, 8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5"})
    void theLogTellsTheTime(String ioMode) throws IOException {
        AtomicReference<Instant> between = new AtomicReference<>(Instant.MAX);
        run = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "4"));
        run.run(2, (checkpoints, comm) -> {
            take(checkpoints, Level.L4, 9, 8);
            comm.barrier();
            if (comm.rank() == 0) {
                between.set(Instant.now());
            }
            comm.barrier();
            take(checkpoints, Level.L4, 7);
            take(checkpoints, Level.L1, 6);
        });
        turnTimesRound();
        String execId = run.restartValue("exec_id");
        RunCatalogue.Run listed = catalogue().run(execId, false);
        assertThat(listed.checkpoints())
                .extracting(RunCatalogue.Checkpoint::ckptId)
                .containsExactly(6, 7, 8, 9);
        assertThat(listed.checkpoints().get(1).time()).isAfterOrEqualTo(between.get());
        assertThat(listed.checkpoints().get(2).time()).isBeforeOrEqualTo(between.get());
        assertThat(listed.checkpoints()).allMatch(each -> each.start() != null);
        catalogue().restoreLatestBefore(execId, Instant.now().plusSeconds(3600), "last");
        Pair.recovers(run, 6);
        run.setRestart("1", execId);
        catalogue().restoreLatestBefore(execId, between.get(), "earlier");
        Pair.recovers(run, 8);
        // The branch knows no time of what it began with, and says so.
        assertThatThrownBy(() -> catalogue().restoreLatestBefore("earlier", Instant.now(), null))
                .hasMessageContaining("of checkpoint 8 (", "it is not known when it was taken");
    }

    /** Data that came back to the place of level 4, whose metadata are those of another checkpoint, are nobody's choice. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "5"})
    void dataWithTheMetadataOfAnotherCheckpointDoNotCount(String ioMode) throws IOException {
        taken(ioMode, Level.L4, Map.of("drumlin.keep", "3"), 9, 8);
        String execId = run.restartValue("exec_id");
        Map<String, byte[]> old = new HashMap<>();
        for (Path file : PathStatus.entries(global().resolve("l4"))) {
            old.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L4, 7));
        for (Path file : PathStatus.entries(global().resolve("l4"))) {
            Files.delete(file);
        }
        for (Map.Entry<String, byte[]> file : old.entrySet()) {
            Files.write(global().resolve("l4").resolve(file.getKey()), file.getValue());
        }
        catalogue().restoreLatestBefore(execId, Instant.now().plusSeconds(3600), "latest");
        Pair.recovers(run, 8);
        run.setRestart("1", execId);
        catalogue().restore(execId, 8, "eight");
        Pair.recovers(run, 8);
    }

    /** Without the log nothing tells which is older: all of them stay until as many newer ones are there. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void whatTheLogDoesNotKnowStays(String ioMode) throws IOException {
        taken(ioMode, Level.L4, Map.of("drumlin.keep", "3"), 9, 8, 7);
        String execId = run.restartValue("exec_id");
        Files.delete(log());
        assertThat(prune(2).refused())
                .singleElement()
                .asString()
                .contains("8, 9", "drumlin-commits does not say how old", "drumlin run delete");
        assertThatThrownBy(() -> catalogue().restoreLatestBefore(execId, Instant.now(), null))
                .hasMessageContaining("it is not known when it was taken")
                .hasMessageContaining("name it by its id");
        assertThat(archived()).containsExactly(8, 9);
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L4, 6, 5));
        // Checkpoint 7 is known, because this start has found it.
        assertThat(archived()).containsExactly(6, 7, 8, 9);
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L4, 4, 3));
        assertThat(archived()).containsExactly(4, 5, 8, 9);
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L4, 2, 12, 13, 14));
        assertThat(archived()).containsExactly(12, 13);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    void whatTheLogDoesNotKnowStaysOnTheNodes(String ioMode) throws IOException {
        taken(ioMode, Level.L1, Map.of("drumlin.keep_l1", "3"), 9, 8, 7);
        Files.delete(log());
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L1, 6, 5));
        assertThat(kept("Local/node1")).hasSize(4);
        run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L1, 4, 3, 2, 1));
        assertThat(kept("Local/node1")).containsExactly("drumlin-kept-l1-2", "drumlin-kept-l1-3");
    }

    /** A deletion that a kill has interrupted is finished, and does not take a newer checkpoint with the id. */
    @ParameterizedTest
    @CsvSource({"1, true", "3, true", "1, false", "3, false"})
    void anInterruptedDeletionIsFinished(String ioMode, boolean again) throws IOException {
        taken(ioMode, Level.L4, Map.of("drumlin.keep", "9"), 9, 8, 7);
        Path mark = Files.createDirectory(global().resolve("drumlin-deleted-8-" + identity(8)));
        if (again) {
            run.run(2, (checkpoints, comm) -> take(checkpoints, Level.L4, 8, 6));
        }
        turnTimesRound();
        assertThat(prune(9).remains()).containsExactly(mark);
        assertThat(mark).doesNotExist();
        assertThat(archived().contains(8)).isEqualTo(again);
    }

    private String identity(int id) throws IOException {
        return Files.readString(log())
                .lines()
                .filter(line -> line.startsWith("begun " + id + " "))
                .findFirst()
                .orElseThrow()
                .split(" ")[3];
    }

    @Test
    void theProgramChoosesByTheLog() throws IOException {
        taken("3", Level.L4, Map.of("drumlin.keep", "4"), 4, 3, 2, 1);
        turnTimesRound();
        io.drumlin.comm.ThreadCommunicator.run(2, comm -> {
            Checkpoints.Builder builder = new EngineBuilder(run.config()).communicator(comm);
            Instant nextYear = Instant.now().plus(Duration.ofDays(365));
            try (Checkpoints checkpoints = builder.fromLatestBefore(nextYear).open()) {
                assertThat(checkpoints.lastCheckpoint()).contains(1);
            }
        });
    }
}
