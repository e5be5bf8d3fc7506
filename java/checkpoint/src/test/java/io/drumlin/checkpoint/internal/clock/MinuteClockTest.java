package io.drumlin.checkpoint.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.FtiCheckpoints.SnapshotPlan;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.comm.SingleCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MinuteClockTest {

    @TempDir
    Path directory;

    private long nanos;

    /** Iterations, counted from 1, at which each level is due when every iteration takes {@code seconds}. */
    private Map<Integer, Integer> due(Map<String, String> changes, double seconds, int iterations) throws IOException {
        RunFixture run = new RunFixture(directory, changes);
        FtiConfig config = FtiConfig.parse(Files.readString(run.config()), "config");
        MinuteClock clock = new MinuteClock(config, () -> nanos);
        Map<Integer, Integer> levels = new LinkedHashMap<>();
        for (int i = 1; i <= iterations; i++) {
            int iteration = i;
            clock.tick(new SingleCommunicator()).ifPresent(level -> levels.put(iteration, level.number()));
            nanos += Math.round(seconds * 1e9);
        }
        return levels;
    }

    @Test
    void everyMinuteInIterationsAndTheHighestLevelThatIsDue() throws IOException {
        Map<String, String> intervals = Map.of("basic.ckpt_l1", "1", "basic.ckpt_l4", "3");
        // 6 s an iteration: 10 iterations a minute, the first minute one longer.
        assertThat(due(intervals, 6, 75))
                .containsExactlyEntriesOf(ordered(11, 1, 21, 1, 31, 4, 41, 1, 51, 1, 61, 4, 71, 1));
    }

    /** 6 s an iteration: looked at after 1, 2, 4 and then every 8 iterations, more often than twice a minute. */
    @Test
    void tellsWhenTheRanksAgreed() throws IOException {
        FtiConfig config = FtiConfig.parse(Files.readString(new RunFixture(directory, Map.of()).config()), "config");
        MinuteClock clock = new MinuteClock(config, () -> nanos);
        Map<Integer, SnapshotPlan> plans = new LinkedHashMap<>();
        for (int i = 1; i <= 17; i++) {
            int iteration = i;
            clock.tick(new SingleCommunicator());
            clock.newPlan().ifPresent(plan -> plans.put(iteration, plan));
            nanos += 6_000_000_000L;
        }
        assertThat(plans)
                .containsExactly(
                        Map.entry(2, new SnapshotPlan(1, 10, 11, 1)),
                        Map.entry(3, new SnapshotPlan(2, 10, 11, 2)),
                        Map.entry(5, new SnapshotPlan(4, 10, 11, 4)),
                        Map.entry(9, new SnapshotPlan(8, 10, 11, 8)),
                        Map.entry(17, new SnapshotPlan(16, 10, 21, 8)));
    }

    @Test
    void fastForwardDividesTheMinute() throws IOException {
        assertThat(due(Map.of("basic.ckpt_l1", "1", "advanced.fast_forward", "5"), 6, 12))
                .containsExactlyEntriesOf(ordered(3, 1, 5, 1, 7, 1, 9, 1, 11, 1));
    }

    @Test
    void iterationsLongerThanAMinuteCountWholeMinutes() throws IOException {
        // 150 s an iteration: every iteration is looked at, and after k of them 2.5 k minutes have passed.
        assertThat(due(Map.of("basic.ckpt_l1", "5"), 150, 8)).containsExactlyEntriesOf(ordered(3, 1, 5, 1, 7, 1));
    }

    /** A slower iteration makes the interval shorter when the next checkpoint would have been this one. */
    @Test
    void iterationsThatBecomeSlowerDoNotEndCheckpoints() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.ckpt_l1", "1"));
        MinuteClock clock = new MinuteClock(FtiConfig.parse(Files.readString(run.config()), "config"), () -> nanos);
        int taken = 0;
        for (int i = 1; i <= 60; i++) {
            taken += clock.tick(new SingleCommunicator()).isPresent() ? 1 : 0;
            nanos += (i == 3 ? 60 : 20) * 1_000_000_000L;
        }
        assertThat(taken).isGreaterThan(10);
    }

    @Test
    void noIntervalNoCheckpoint() throws IOException {
        assertThat(due(Map.of(), 6, 100)).isEmpty();
    }

    private static Map<Integer, Integer> ordered(int... pairs) {
        Map<Integer, Integer> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
