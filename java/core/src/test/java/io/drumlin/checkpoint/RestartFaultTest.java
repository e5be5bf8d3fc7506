package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A checkpoint on the nodes and an older one of level 4, and errors that may pass while a run is restarted: it goes on from the newer
 * one or fails with words; and when the error has passed, a restart finds the newer one.
 */
class RestartFaultTest {

    private static final int RANKS = 2;
    private static final int INTS = 20_000;
    private static final int OLDER = 1;
    private static final int NEWER = 2;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "1, L1", "1, L2", "1, L3", "2, L1", "2, L3", "3, L1", "3, L2", "3, L3", "4, L2", "5, L1", "5, L2",
    })
    void anErrorThatMayPassLosesNothing(String ioMode, Level level) throws IOException {
        tryFaults(ioMode, level, 12);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "1, L1", "1, L2", "1, L3", "2, L1", "2, L2", "2, L3", "3, L1", "3, L2", "3, L3", "4, L1", "4, L2", "4, L3",
        "5, L1", "5, L2", "5, L3"
    })
    void noErrorThatMayPassLosesAnything(String ioMode, Level level) throws IOException {
        tryFaults(ioMode, level, 1);
    }

    private void tryFaults(String ioMode, Level level, int stride) throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        RunFixture none = run("none", ioMode, level, Map.of());
        List<FaultyEngine> engines = healthy();
        List<Map<Operation, Integer>> before = FaultPoint.counts(engines);
        start(none, engines);
        for (FaultPoint point : FaultPoint.sample(before, FaultPoint.counts(engines), stride, random)) {
            String errno = point.operation() == Operation.OPEN && random.nextBoolean() ? "EMFILE" : "EIO";
            // It passes before the next attempt; after the attempts, so that an older one could be read; or not at all.
            int times = List.of(1, 6, 300).get(random.nextInt(3));
            String name = point.operation() + "-" + point.rank() + "-" + point.nth() + "-" + errno + "-" + times;
            RunFixture run = run(name, ioMode, level, Map.of());
            List<FaultyEngine> faulty = healthy();
            for (int i = 0; i < times; i++) {
                faulty.get(point.rank()).fail(point.operation(), point.nth() + i, errno);
            }
            List<String> outcomes = start(run, faulty);
            assertThat(outcomes).as(name).allMatch(outcome -> outcome.contains("failed") || outcome.equals("" + NEWER));
            assertThat(start(run, healthy())).as("%s after %s", name, outcomes).containsOnly("" + NEWER);
            DirectoryTree.delete(run.directory(), new NioEngine());
        }
    }

    @Test
    void theMessageNamesRankPathAndErrorAndTheWayOut() throws IOException {
        RunFixture run = run("words", "3", Level.L1, Map.of());
        List<String> outcomes = start(run, unreadable());
        assertThat(outcomes)
                .allMatch(outcome -> outcome.contains("rank 1")
                        && outcome.contains("Ckpt2-Rank1.fti")
                        && outcome.contains("EIO")
                        && outcome.contains("on_unreadable = older"));
    }

    @Test
    void theProgramMayGoOnFromTheOlderOne() throws IOException {
        RunFixture run = run("older", "3", Level.L1, Map.of("drumlin.on_unreadable", "older"));
        assertThat(start(run, unreadable())).containsOnly("" + OLDER);
    }

    /** The disk of a node is not mounted at one start, and is at the next. */
    @ParameterizedTest
    @CsvSource({"1, node1, 2", "1, node0, 1", "2, node1, 2", "3, node1, 2", "3, node0, 1", "3, node0, 2", "5, node1, 2"
    })
    void theNewerOneIsThereUntilAnotherIs(String ioMode, String node, String groupSize) throws IOException {
        RunFixture run = run("disk", ioMode, Level.L1, Map.of("basic.group_size", groupSize));
        Path local = run.directory().resolve("Local");
        Path away = run.directory().resolve("away");
        Files.createDirectory(away);
        Files.move(local.resolve(node), away.resolve(node));
        assertThat(start(run, healthy())).containsOnly("" + OLDER);
        DirectoryTree.delete(local.resolve(node), new NioEngine());
        Files.move(away.resolve(node), local.resolve(node));
        assertThat(start(run, healthy())).containsOnly("" + NEWER);
    }

    /** Engines of which the second cannot read for a while. */
    private static List<FaultyEngine> unreadable() {
        List<FaultyEngine> engines = healthy();
        for (int i = 1; i <= 3; i++) {
            engines.get(1).fail(Operation.READ, i, "EIO");
        }
        return engines;
    }

    private RunFixture run(String name, String ioMode, Level level, Map<String, String> config) throws IOException {
        Map<String, String> changes =
                new HashMap<>(Map.of("basic.node_size", "1", "basic.group_size", "2", "basic.ckpt_io", ioMode));
        changes.putAll(config);
        RunFixture run = new RunFixture(Files.createDirectories(directory.resolve(name)), changes);
        run.run(RANKS, (checkpoints, comm) -> {
            int[] values = new int[INTS];
            TwoVariables.protect(checkpoints, values);
            setAll(values, OLDER);
            checkpoints.checkpoint(OLDER, Level.L4);
            setAll(values, NEWER);
            checkpoints.checkpoint(NEWER, level);
        });
        return run;
    }

    private static List<FaultyEngine> healthy() {
        List<FaultyEngine> engines = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            engines.add(new FaultyEngine(new NioEngine(), false));
        }
        return engines;
    }

    /** For each rank which checkpoint it has got back, or the failure. */
    private static List<String> start(RunFixture run, List<FaultyEngine> engines) {
        List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "?"));
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> ThreadCommunicator.run(RANKS, comm -> {
                    String outcome;
                    try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                            .communicator(comm)
                            .storage(engines.get(comm.rank()))
                            .open()) {
                        int[] values = new int[INTS];
                        TwoVariables.protect(checkpoints, values);
                        checkpoints.recover();
                        Set<Integer> bases = new TreeSet<>();
                        for (int i = 0; i < INTS; i++) {
                            bases.add(values[i] - i);
                        }
                        outcome = bases.size() == 1 ? bases.iterator().next().toString() : "mixed: " + bases;
                    } catch (IOException failed) {
                        outcome = failed.toString();
                    }
                    synchronized (outcomes) {
                        outcomes.set(comm.rank(), outcome);
                    }
                }));
        return outcomes;
    }

    private static void setAll(int[] values, int step) {
        for (int i = 0; i < INTS; i++) {
            values[i] = step + i;
        }
    }
}
