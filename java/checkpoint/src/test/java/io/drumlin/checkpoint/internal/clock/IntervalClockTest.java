package io.drumlin.checkpoint.internal.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ckpt_interval = auto}. */
class IntervalClockTest {

    private long nanos;

    /** The minimum of the run time that Daly's model gives, found by looking. */
    @ParameterizedTest
    @CsvSource({"1, 86400", "60, 86400", "600, 86400", "600, 7200", "0.01, 3600", "1000, 4000"})
    void theIntervalMinimisesTheRunTime(double cost, double failures) {
        DoubleUnaryOperator runTime = interval -> failures * Math.expm1((interval + cost) / failures) / interval;
        double best = cost;
        for (double interval = cost / 2; interval < 3 * failures; interval *= 1.0005) {
            best = runTime.applyAsDouble(interval) < runTime.applyAsDouble(best) ? interval : best;
        }
        double optimum = IntervalClock.optimum(cost, failures);
        assertThat(runTime.applyAsDouble(optimum)).isCloseTo(runTime.applyAsDouble(best), within(1e-4 * failures));
        assertThat(optimum).isCloseTo(best, within(0.02 * best));
    }

    /** Cost 2 s, failures every 10,000 s: 198.7 s. */
    @Test
    void costsAreMeasuredAndCountedInIterations() throws IOException {
        IntervalClock clock = new IntervalClock(Map.of(Level.L1, 10_000.0), 512, () -> nanos);
        // Before anything is known a checkpoint is taken to last 1 s: sqrt(2 * 10,000) and a bit, 140.8 s.
        assertThat(due(clock, 600, 1, 2)).containsExactly(142, 341, 540);
    }

    @Test
    void aHigherLevelStandsInForTheLowerOnes() throws IOException {
        IntervalClock clock = new IntervalClock(Map.of(Level.L1, 5_000.0, Level.L4, 40_000.0), 1, () -> nanos);
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            Optional<Level> level = clock.tick(new SingleCommunicator());
            if (level.isPresent()) {
                levels.add(level.get());
                clock.taken(new SingleCommunicator(), level.get(), 1);
            }
            nanos += 1_000_000_000L;
        }
        // 99.3 s and 282.2 s.
        assertThat(levels)
                .startsWith(Level.L1, Level.L1, Level.L4, Level.L1, Level.L1, Level.L4)
                .doesNotContain(Level.L2);
    }

    @Test
    void theIntervalFollowsAProgramThatBecomesSlower() throws IOException {
        IntervalClock clock = new IntervalClock(Map.of(Level.L1, 10_000.0), 16, () -> nanos);
        assertThat(due(clock, 1000, 0.5, 2)).startsWith(283, 680);
        List<Integer> slower = due(clock, 400, 5, 2);
        assertThat(slower.get(3) - slower.get(2)).isEqualTo(40);
    }

    @Test
    void allRanksDecideAlikeAndTheSlowestCounts() throws IOException {
        Map<Integer, List<Integer>> due = new ConcurrentHashMap<>();
        ThreadCommunicator.run(3, comm -> {
            long[] time = new long[1];
            IntervalClock clock = new IntervalClock(Map.of(Level.L1, 10_000.0), 8, () -> time[0]);
            List<Integer> own = new ArrayList<>();
            for (int i = 1; i <= 800; i++) {
                Optional<Level> level = clock.tick(comm);
                time[0] += (1 + comm.rank()) * 500_000_000L;
                if (level.isPresent()) {
                    own.add(i);
                    clock.taken(comm, level.get(), comm.rank());
                }
            }
            due.put(comm.rank(), own);
        });
        assertThat(due.values()).allMatch(due.get(0)::equals);
        assertThat(due.get(0)).containsExactly(142, 341, 540, 739);
    }

    /** The iterations, from 1, at which a checkpoint of {@code cost} seconds is due. */
    private List<Integer> due(IntervalClock clock, int iterations, double seconds, double cost) throws IOException {
        Communicator comm = new SingleCommunicator();
        List<Integer> due = new ArrayList<>();
        for (int i = 1; i <= iterations; i++) {
            Optional<Level> level = clock.tick(comm);
            if (level.isPresent()) {
                due.add(i);
                nanos += Math.round(cost * 1e9);
                clock.taken(comm, level.get(), cost);
            }
            nanos += Math.round(seconds * 1e9);
        }
        return Collections.unmodifiableList(due);
    }
}
