package io.drumlin.checkpoint.heads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.FaultPoint;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.fixture.TwoVariables;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Operations on the file system and requests for memory fail once, on a head or on a rank of the application, while a checkpoint is
 * finished behind the computation, by heads or by a thread of each rank: all ranks are told, the checkpoint before is there, and the
 * run goes on.
 */
@ExtendWith(EngineLog.class)
@Tag("exhaustive")
class BehindFaultTest {

    /** With heads two nodes of a head and a rank of the application, otherwise four nodes of a rank. */
    private static final int RANKS = 4;

    private static final int INTS = 3000;

    /** What the checkpoint after the fault holds. */
    private static final int GONE_ON = 5;

    @TempDir(factory = InMemory.class)
    Path directory;

    private static final Map<String, String> WITH_HEADS =
            RunFixture.settings("head=1, node_size=2, inline_l2=0, inline_l3=0, inline_l4=0");

    /** Who finishes checkpoints. */
    enum By {
        HEADS(WITH_HEADS),
        /** Checkpoints whose variables are added one by one. */
        HEADS_INCREMENTAL(WITH_HEADS),
        THREADS(Map.of("basic.node_size", "1", "drumlin.async", "1"));

        private final Map<String, String> changes;

        By(Map<String, String> changes) {
            this.changes = changes;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HEADS, L2, 3",
        "HEADS, L3, 1",
        "HEADS, L4, 2",
        "HEADS_INCREMENTAL, L2, 3",
        "HEADS_INCREMENTAL, L4, 1",
        "THREADS, L2, 1",
        "THREADS, L3, 3",
        "THREADS, L4, 3"
    })
    void someFaults(By by, Level level, String ioMode) throws IOException {
        forFaults(by, level, ioMode, 24);
    }

    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "HEADS, L2, 1",
        "HEADS, L2, 3",
        "HEADS, L3, 1",
        "HEADS, L3, 3",
        "HEADS, L4, 1",
        "HEADS, L4, 2",
        "HEADS, L4, 3",
        "HEADS, L4, 4",
        "HEADS_INCREMENTAL, L2, 3",
        "HEADS_INCREMENTAL, L3, 5",
        "HEADS_INCREMENTAL, L4, 1",
        "HEADS_INCREMENTAL, L4, 4",
        "THREADS, L1, 3",
        "THREADS, L2, 1",
        "THREADS, L3, 3",
        "THREADS, L4, 2",
        "THREADS, L4, 3"
    })
    void allFaults(By by, Level level, String ioMode) throws IOException {
        forFaults(by, level, ioMode, 1);
    }

    private void forFaults(By by, Level level, String ioMode, int stride) throws IOException {
        if (stride == 1) {
            forAllFaults(by, level, ioMode);
            return;
        }
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Story none = play(by, level, ioMode, FaultPoint.NOWHERE);
        int happened = 0;
        for (FaultPoint point : FaultPoint.sample(none.armed, none.healed, stride, new Random(seed))) {
            happened += play(by, level, ioMode, point).happened() ? 1 : 0;
        }
        assertThat(happened).as("faults that happened").isPositive();
    }

    private void forAllFaults(By by, Level level, String ioMode) throws IOException {
        int happened = 0;
        for (Operation operation : Operation.values()) {
            for (int rank = 0; rank < RANKS; rank++) {
                for (int nth = 1;
                        play(by, level, ioMode, new FaultPoint(operation, rank, nth))
                                .happened();
                        nth++) {
                    happened++;
                }
            }
        }
        assertThat(happened).as("faults that happened").isGreaterThanOrEqualTo(20);
    }

    private Story play(By by, Level level, String ioMode, FaultPoint point) throws IOException {
        Path folder =
                Files.createDirectories(directory.resolve(point.operation() + "-" + point.rank() + "-" + point.nth()));
        Story story = new Story(folder, by, level, ioMode, point);
        assertTimeoutPreemptively(Duration.ofSeconds(60), story::play, () -> "hangs: " + story);
        DirectoryTree.delete(folder, new NioEngine());
        return story;
    }

    /** A checkpoint that is whole, one with the fault, and one more. */
    private static final class Story {

        private final RunFixture run;
        private final By by;
        private final int application;
        private final Level level;
        private final String fault;
        private final Operation operation;
        private final int rank;
        private final int nth;
        private final List<FaultyEngine> engines = IntStream.range(0, RANKS)
                .mapToObj(i -> new FaultyEngine(new NioEngine(), false))
                .toList();
        private final List<String> outcomes = new ArrayList<>(Collections.nCopies(RANKS, "head"));
        private List<Map<Operation, Integer>> armed = List.of();
        private List<Map<Operation, Integer>> healed = List.of();

        /** Whether the run takes another checkpoint after the fault. */
        private final boolean goesOn;

        Story(Path folder, By by, Level level, String ioMode, FaultPoint point) throws IOException {
            this.by = by;
            application = by == By.THREADS ? RANKS : RANKS / 2;
            Map<String, String> changes = new HashMap<>(by.changes);
            changes.put("basic.group_size", "2");
            changes.put("basic.ckpt_io", ioMode);
            run = new RunFixture(folder, changes);
            this.level = level;
            operation = point.operation();
            rank = point.rank();
            nth = point.nth();
            goesOn = nth % 2 == 0;
            fault = operation + " " + nth + " on rank " + rank + ", " + by + ", level " + level + ", mode " + ioMode;
        }

        void play() throws IOException {
            onEachRank((checkpoints, values) -> {
                Communicator app = checkpoints.communicator();
                set(values, 1);
                take(checkpoints, values, 1);
                checkpoints.await();
                arm(app);
                set(values, 2);
                String outcome = outcome(checkpoints, values, 2);
                synchronized (outcomes) {
                    outcomes.set(app.rank(), outcome);
                }
                heal(app);
                if (goesOn) {
                    set(values, GONE_ON);
                    take(checkpoints, values, 2);
                }
            });
            List<String> told = outcomes.subList(0, application);
            assertThat(told.stream().filter(String::isEmpty).count())
                    .as("all ranks or none: %s, %s", fault, told)
                    .isIn(0L, (long) application);
            int least = goesOn ? GONE_ON : told.get(0).isEmpty() ? 2 : 1;
            assertThat(restored(3)).as("%s, %s", fault, told).isBetween(least, goesOn ? GONE_ON : 2);
            assertThat(restored(4)).as("%s, %s", fault, told).isEqualTo(3);
        }

        /** Empty if the checkpoint was taken. What was recovered is an earlier one or this. */
        private String outcome(Checkpoints checkpoints, int[] values, int id) throws IOException {
            try {
                take(checkpoints, values, id);
                checkpoints.await();
                return "";
            } catch (IOException e) {
                assertThat(checkpoints.isUnderway()).isFalse();
                return String.valueOf(e.getMessage());
            }
        }

        private void take(Checkpoints checkpoints, int[] values, int id) throws IOException {
            if (by == By.HEADS_INCREMENTAL) {
                TwoVariables.checkpoint(checkpoints, values, id, level);
            } else {
                checkpoints.checkpoint(id, level);
            }
        }

        private void arm(Communicator app) throws IOException {
            app.barrier();
            if (app.rank() == 0) {
                armed = FaultPoint.counts(engines);
                engines.get(rank).fail(operation, nth, "EIO");
            }
            app.barrier();
        }

        private void heal(Communicator app) throws IOException {
            app.barrier();
            if (app.rank() == 0) {
                healed = FaultPoint.counts(engines);
                engines.get(rank).heal();
            }
            app.barrier();
        }

        boolean happened() {
            int before = armed.get(rank).getOrDefault(operation, 0);
            return healed.get(rank).getOrDefault(operation, 0) - before >= nth;
        }

        /** What a restart brings back, which then takes another checkpoint. */
        private int restored(int next) throws IOException {
            Set<Integer> restored = Collections.synchronizedSet(new TreeSet<>());
            onEachRank((checkpoints, values) -> {
                checkpoints.recover();
                int[] whole = new int[INTS];
                set(whole, values[0]);
                assertThat(values).isEqualTo(whole);
                restored.add(values[0]);
                set(values, next);
                take(checkpoints, values, next);
                set(values, 0);
                // Waits for the heads.
                checkpoints.recover();
                assertThat(values[0]).isEqualTo(next);
            });
            assertThat(restored).hasSize(1);
            return restored.iterator().next();
        }

        private void onEachRank(Body body) throws IOException {
            run.run(RANKS, (builder, rank) -> builder.storage(engines.get(rank)), (checkpoints, comm) -> {
                int[] values = new int[INTS];
                TwoVariables.protect(checkpoints, values);
                body.run(checkpoints, values);
            });
        }

        @Override
        public String toString() {
            return fault;
        }
    }

    @FunctionalInterface
    private interface Body {
        void run(Checkpoints checkpoints, int[] values) throws IOException;
    }

    private static void set(int[] values, int step) {
        Arrays.setAll(values, i -> step + i);
    }
}
