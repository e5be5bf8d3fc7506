package io.drumlin.comm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.drumlin.comm.AgreedFailure;
import io.drumlin.comm.FailingMeetings;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AgreementTest {

    @Test
    void givesEachRankItsOwnResult() throws IOException {
        List<Integer> results =
                ThreadCommunicator.call(3, world -> Agreement.call(world, "counting", () -> 10 * world.rank()));
        assertThat(results).containsExactly(0, 10, 20);
    }

    @Test
    void closesWhatWasOpenedIfAnotherRankFails() throws IOException {
        List<Integer> closed = ThreadCommunicator.call(3, world -> {
            int[] times = {0};
            Agreement.Call<Closeable> step = () -> {
                if (world.rank() == 1) {
                    throw new IOException("the disk is full");
                }
                return () -> times[0]++;
            };
            assertThatThrownBy(() -> Agreement.open(world, "opening", step)).hasMessageContaining("the disk is full");
            return times[0];
        });
        assertThat(closed).containsExactly(1, 0, 1);
    }

    @Test
    void whatWasOpenedStaysOpenIfAllSucceed() throws IOException {
        List<Integer> closed = ThreadCommunicator.call(3, world -> {
            int[] times = {0};
            Closeable opened = Agreement.open(world, "opening", () -> () -> times[0]++);
            assertThat(times[0]).isZero();
            opened.close();
            return times[0];
        });
        assertThat(closed).containsExactly(1, 1, 1);
    }

    @Test
    void throwsTheRanksOwnFailureThereAndItsWordsOnTheOthers() {
        ThreadCommunicator.run(3, world -> {
            IOException own = new IOException("the disk is full");
            Agreement.Call<String> step = () -> {
                if (world.rank() == 1) {
                    throw own;
                }
                return "written";
            };
            if (world.rank() == 1) {
                assertThatThrownBy(() -> Agreement.call(world, "writing", step)).isSameAs(own);
            } else {
                assertThatThrownBy(() -> Agreement.call(world, "writing", step))
                        .isInstanceOf(IOException.class)
                        .hasMessageContainingAll("writing", "rank 1 failed: the disk is full");
            }
        });
    }

    /** The first of them reports for all. */
    @Test
    void saysOnWhichRanksAStepFailed() {
        ThreadCommunicator.run(5, world -> {
            boolean fails = world.rank() == 1 || world.rank() >= 3;
            Throwable thrown = catchThrowable(() -> Agreement.run(world, "writing", () -> {
                if (fails) {
                    throw new IOException("the disk of " + world.rank() + " is full");
                }
            }));
            assertThat(thrown)
                    .hasMessageContaining(
                            fails
                                    ? "the disk of " + world.rank() + " is full"
                                    : "rank 1 failed: the disk of 1 is full; ranks 3-4 failed too");
            assertThat(AgreedFailure.of(new IllegalStateException(thrown))).hasValueSatisfying(agreed -> {
                assertThat(agreed).hasMessage("failed on ranks 1,3-4 of 5");
                assertThat(agreed.isReporter()).isEqualTo(world.rank() == 1);
            });
        });
        assertThat(AgreedFailure.of(new IOException("of one rank"))).isEmpty();
    }

    /** It costs no message: the time of the step rides on the votes. */
    @Test
    void saysWhichRankWasTheSlowest() throws IOException {
        List<SlowestRank> slowest = ThreadCommunicator.call(4, world -> {
            SlowestRank[] found = new SlowestRank[1];
            Agreement.run(
                    world,
                    "sleeping",
                    () -> {
                        try {
                            Thread.sleep(world.rank() == 3 ? 60 : 1);
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    rank -> found[0] = rank);
            return found[0];
        });
        assertThat(slowest).hasSize(4).containsOnly(slowest.get(0));
        assertThat(slowest.get(0).seconds()).isGreaterThanOrEqualTo(0.06);
    }

    @Test
    void votesKeepRankAndTime() {
        SlowestRank slow = new SlowestRank(1_000_000, 3_600_000_000_000L);
        assertThat(SlowestRank.elected(slow.vote())).isEqualTo(slow);
        assertThat(slow.vote()).isLessThan(new SlowestRank(7, 1000).vote()).isNegative();
        assertThat(SlowestRank.elected(new SlowestRank(3, Long.MAX_VALUE).vote())
                        .rank())
                .isEqualTo(3);
    }

    @Test
    void aFailedMeetingHasNoResult() {
        FailingMeetings meetings = new FailingMeetings();
        meetings.arm(1);
        assertThatThrownBy(() -> Agreement.call(meetings.of(new SingleCommunicator()), "counting", () -> 1))
                .isInstanceOf(MeetingException.class);
    }

    @Test
    void anErrorOfOneRankIsAFailureOfAll() {
        ThreadCommunicator.run(2, world -> assertThatThrownBy(() -> Agreement.call(world, "summing", () -> {
                    if (world.rank() == 0) {
                        throw new ArithmeticException("overflow");
                    }
                    return 1;
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("summing"));
    }
}
