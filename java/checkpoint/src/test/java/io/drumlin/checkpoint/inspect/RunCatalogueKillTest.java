package io.drumlin.checkpoint.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunCatalogue;
import io.drumlin.checkpoint.RunCatalogue.Checkpoint;
import io.drumlin.checkpoint.RunCatalogue.Rule;
import io.drumlin.checkpoint.RunCatalogue.Run;
import io.drumlin.checkpoint.fixture.Pair;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.catalogue.EngineRunCatalogue;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.storage.CrashJournal;
import io.drumlin.storage.CrashJournal.Crash;
import io.drumlin.storage.CrashJournal.Remains;
import io.drumlin.storage.DyingEngine;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Restores, deletions and prunings that are killed at any of their operations, or during which power fails: every checkpoint that is then
 * called whole restores to its own content, no other is lost, and nothing stays for ever.
 */
@Tag("exhaustive")
class RunCatalogueKillTest {

    @TempDir
    Path directory;

    private RunFixture fixture;
    private Random random;
    private int checks;

    private RunCatalogue catalogue(Path config, StorageEngine storage) throws IOException {
        return new EngineRunCatalogue(
                config, FtiConfig.parse(Files.readString(config), config.toString(), directory), storage);
    }

    private RunCatalogue catalogue() throws IOException {
        return catalogue(fixture.config(), new NioEngine());
    }

    private void takeCheckpoints() throws IOException {
        fixture.setRestart("0", "none");
        fixture.run(2, (checkpoints, comm) -> Pair.take(checkpoints, Level.L4, 1, 2, 3, 4));
    }

    /** The checkpoints that are called whole after all data were read, as run/id, by the run. */
    private Map<String, Set<Integer>> whole() throws IOException {
        Map<String, Set<Integer>> whole = new TreeMap<>();
        for (Run run : catalogue().runs(true)) {
            assertThat(run.problem()).isNull();
            whole.put(
                    run.execId(),
                    run.checkpoints().stream()
                            .filter(Checkpoint::isRecoverable)
                            .map(Checkpoint::ckptId)
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        return whole;
    }

    /** Restores a checkpoint with another configuration file, and deletes the branch. */
    private void recovers(String execId, int ckptId) throws IOException {
        Path checks = Files.createDirectories(directory.resolve("checks"));
        RunFixture check = RunFixture.at(checks);
        Files.copy(fixture.config(), check.config(), StandardCopyOption.REPLACE_EXISTING);
        check.setRestart("0", "none");
        String name = "check" + this.checks++;
        catalogue(check.config(), new NioEngine()).restore(execId, ckptId, name);
        check.run(2, (checkpoints, comm) -> {
            assertThat(Pair.recovered(checkpoints)).containsExactly(ckptId, comm.rank());
        });
        catalogue().deleteRun(name, true, false);
    }

    /** Does something, and returns the checkpoints that may be gone after it, as run/id. */
    private Set<String> act(RunCatalogue catalogue, Map<String, Set<Integer>> whole) throws IOException {
        List<String> runs = List.copyOf(whole.keySet());
        String execId = runs.get(random.nextInt(runs.size()));
        Set<String> all =
                whole.get(execId).stream().map(id -> execId + "/" + id).collect(Collectors.toSet());
        List<Integer> ids = List.copyOf(whole.get(execId));
        int what = random.nextInt(8);
        Set<String> mayGo = new HashSet<>();
        try {
            if (what < 4 && !ids.isEmpty()) {
                catalogue.restore(execId, ids.get(random.nextInt(ids.size())), null);
            } else if (what < 6 && ids.size() > 1) {
                int id = ids.get(random.nextInt(ids.size() - 1));
                mayGo.add(execId + "/" + id);
                catalogue.delete(execId, id, false);
            } else if (what == 6 && runs.size() > 2) {
                mayGo.addAll(all);
                catalogue.deleteRun(execId, true, false);
            } else {
                int keep = 1 + random.nextInt(4);
                Rule rule = new Rule(Integer.toString(keep), null, null);
                catalogue.prune(List.of(execId), rule, true).what().forEach(mayGo::add);
                catalogue.prune(List.of(execId), rule, false);
            }
        } catch (DrumlinException e) {
            assertThat(e).hasMessageContaining("killed");
        }
        return mayGo;
    }

    private Set<String> actAndDie(Map<String, Set<Integer>> whole) throws IOException {
        int operations = random.nextInt(4) == 0 ? Integer.MAX_VALUE : random.nextInt(40);
        return act(catalogue(fixture.config(), new DyingEngine(operations)), whole);
    }

    /** Power fails after any operation, or after the last one. */
    private Set<String> actAndLosePower(Map<String, Set<Integer>> whole) throws IOException {
        FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
        CrashJournal journal = engine.record(directory);
        Set<String> mayGo = act(catalogue(fixture.config(), engine), whole);
        boolean isOver = random.nextInt(4) == 0;
        int happened = isOver ? journal.size() : random.nextInt(journal.size() + 1);
        Remains remains = journal.crash(happened, Crash.POWER_LOSS, random);
        for (Path entry : PathStatus.entries(directory)) {
            DirectoryTree.delete(entry, new NioEngine());
        }
        remains.write(directory);
        return mayGo;
    }

    private void isTidy() throws IOException {
        List<String> runs = catalogue().runs(false).stream().map(Run::execId).toList();
        catalogue().prune(runs, new Rule("100", null, null), false);
        assertThat(catalogue().remains()).isEmpty();
        List<String> names = new ArrayList<>();
        for (String root : List.of("Global", "Meta", "Local/node0")) {
            PathStatus.entries(directory.resolve(root))
                    .forEach(entry -> names.add(entry.getFileName().toString()));
        }
        assertThat(runs).containsAll(names);
        for (Run run : catalogue().runs(true)) {
            assertThat(run.checkpoints()).allMatch(Checkpoint::isRecoverable);
        }
    }

    private void survivesKills(int steps, boolean all) throws IOException {
        long seed = Long.getLong("seed", new Random().nextLong());
        System.out.println("seed " + seed);
        random = new Random(seed);
        String ioMode = Integer.toString(1 + random.nextInt(5));
        fixture = new RunFixture(directory, Map.of("basic.ckpt_io", ioMode, "drumlin.keep", "4"));
        takeCheckpoints();
        takeCheckpoints();
        Map<String, Set<Integer>> before = whole();
        // A deletion that was interrupted is finished by any later operation.
        Set<String> mayGo = new HashSet<>();
        for (int step = 0; step < steps; step++) {
            mayGo.addAll(random.nextBoolean() ? actAndDie(before) : actAndLosePower(before));
            Map<String, Set<Integer>> after = whole();
            before.forEach((execId, ids) -> ids.forEach(id -> {
                if (!mayGo.contains(execId + "/" + id)) {
                    assertThat(after.getOrDefault(execId, Set.of()))
                            .as("checkpoints of " + execId)
                            .contains(id);
                }
            }));
            List<String> runs = List.copyOf(after.keySet());
            for (String execId : all ? runs : List.of(runs.get(random.nextInt(runs.size())))) {
                for (int id : after.get(execId)) {
                    recovers(execId, id);
                }
            }
            if (random.nextInt(4) == 0) {
                isTidy();
            }
            if (whole().values().stream().mapToInt(Set::size).sum() < 4) {
                takeCheckpoints();
            }
            before = whole();
        }
        isTidy();
    }

    @Test
    void whatIsWholeStaysWhole() throws IOException {
        survivesKills(6, false);
    }

    @Test
    @Tag("soak")
    void whatIsWholeStaysWholeForLong() throws IOException {
        survivesKills(150, true);
    }
}
