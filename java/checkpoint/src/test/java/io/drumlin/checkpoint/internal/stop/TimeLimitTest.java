package io.drumlin.checkpoint.internal.stop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long before the end of the allocation a job stops. */
class TimeLimitTest {

    private long nanos = 17;
    private double cost;

    private int firstNear(TimeLimit limit, int everySeconds) {
        for (int seconds = everySeconds; seconds < 100_000; seconds += everySeconds) {
            nanos += everySeconds * 1_000_000_000L;
            if (limit.isNear()) {
                return seconds;
            }
        }
        throw new AssertionError("never");
    }

    @Test
    void twoCheckpointsAnIterationAndTheMarginMustFit() {
        cost = 50;
        assertThat(firstNear(new TimeLimit(3600, 30, () -> cost, () -> nanos), 1))
                .isEqualTo(3600 - 30 - 100 - 1);
        assertThat(firstNear(new TimeLimit(3600, 30, () -> cost, () -> nanos), 60))
                .isEqualTo(3420);
    }

    @Test
    void theLongestIterationCountsWhenTheNextAreShort() {
        cost = 10;
        TimeLimit limit = new TimeLimit(3600, 0, () -> cost, () -> nanos);
        assertThat(limit.isNear()).isFalse();
        nanos += 500_000_000_000L;
        assertThat(limit.isNear()).isFalse();
        assertThat(firstNear(limit, 1)).isEqualTo(3600 - 500 - 500 - 20);
    }

    /** What a program prepares between the opening of the run and its first iteration is no iteration. */
    @Test
    void theTimeUntilTheFirstLookIsNoIteration() {
        cost = 10;
        TimeLimit limit = new TimeLimit(3600, 0, () -> cost, () -> nanos);
        nanos += 1800_000_000_000L;
        assertThat(limit.isNear()).isFalse();
        assertThat(firstNear(limit, 1)).isEqualTo(3600 - 1800 - 1 - 20);
    }

    @Test
    void theCostOfTheLastCheckpointsCounts() {
        cost = 10;
        TimeLimit limit = new TimeLimit(3600, 0, () -> cost, () -> nanos);
        assertThat(firstNear(limit, 1)).isEqualTo(3600 - 20 - 1);
        cost = 1;
        assertThat(limit.isNear()).isFalse();
    }

    @Test
    void halfOfAShortAllocationIsForTheProgram() {
        cost = 1000;
        assertThat(firstNear(new TimeLimit(60, 30, () -> cost, () -> nanos), 1)).isEqualTo(30);
    }

    @Test
    void anEndThatIsOverStopsAtOnce() {
        assertThat(new TimeLimit(-5, 0, () -> 0, () -> nanos).isNear()).isTrue();
    }
}
