package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
