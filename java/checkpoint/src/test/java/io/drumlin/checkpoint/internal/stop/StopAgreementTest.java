package io.drumlin.checkpoint.internal.stop;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** All ranks stop in one iteration. */
class StopAgreementTest {

    private static final int RANKS = 3;

    /** Signs that a test gives. */
    private static final class GivenSigns implements StopSigns {

        private Optional<StopReason> seen = Optional.empty();
        private boolean obeyed;

        @Override
        public Optional<StopReason> seen() {
            return seen;
        }

        @Override
        public void obeyed() {
            obeyed = true;
        }

        @Override
        public void close() {}
    }

    /** Each rank takes its own time for an iteration, and one of them gets the sign. */
    @Test
    void oneRankIsToldAndAllStopInTheSameIteration() throws IOException {
        Map<Integer, Integer> stopped = new ConcurrentHashMap<>();
        ThreadCommunicator.run(RANKS, comm -> {
            long[] nanos = new long[1];
            GivenSigns signs = new GivenSigns();
            StopAgreement agreement = new StopAgreement(signs, 512, () -> nanos[0]);
            for (int i = 1; agreement.agreed().isEmpty(); i++) {
                nanos[0] += 5_000_000L * (comm.rank() + 1);
                if (comm.rank() == 1 && i == 1000) {
                    signs.seen = Optional.of(StopReason.SIGUSR1);
                }
                agreement.look(comm);
                stopped.put(comm.rank(), i);
            }
            assertThat(agreement.agreed()).contains(StopReason.SIGUSR1);
            assertThat(signs.obeyed).isTrue();
        });
        assertThat(stopped.values()).allMatch(stopped.get(0)::equals);
        // An iteration takes 10 ms, so sums are 100 iterations apart.
        assertThat(stopped.get(0)).isBetween(1000, 1100);
    }

    @Test
    void theStrongestSignCounts() throws IOException {
        ThreadCommunicator.run(RANKS, comm -> {
            GivenSigns signs = new GivenSigns();
            signs.seen = Optional.of(comm.rank() == 2 ? StopReason.HALT_FILE : StopReason.TIME_LIMIT);
            StopAgreement agreement = new StopAgreement(signs, 512, () -> 0);
            assertThat(agreement.sum(comm, comm.rank() + 1)).isEqualTo(6);
            assertThat(agreement.agreed()).contains(StopReason.HALT_FILE);
        });
    }

    /** A sum of the program's clock takes the place of one of ours. */
    @Test
    void messagesAreFewAndRideOnOthers() throws IOException {
        AtomicInteger looks = new AtomicInteger();
        long[] nanos = new long[1];
        GivenSigns signs = new GivenSigns();
        StopAgreement agreement = new StopAgreement(counting(signs, looks), 512, () -> nanos[0]);
        for (int i = 0; i < 100_000; i++) {
            nanos[0] += 1_000_000L;
            agreement.look(new SingleCommunicator());
        }
        // 100 s, at most 512 iterations of 1 ms apart, and the doublings of the beginning.
        assertThat(looks.get()).isBetween(195, 210);
        looks.set(0);
        for (int i = 0; i < 1000; i++) {
            nanos[0] += 1_000_000L;
            if (i % 100 == 0) {
                agreement.sum(new SingleCommunicator(), 1);
            }
            agreement.look(new SingleCommunicator());
        }
        assertThat(looks.get()).isEqualTo(10);
    }

    private static StopSigns counting(StopSigns signs, AtomicInteger looks) {
        return new StopSigns() {
            @Override
            public Optional<StopReason> seen() {
                looks.incrementAndGet();
                return signs.seen();
            }

            @Override
            public void obeyed() {
                signs.obeyed();
            }

            @Override
            public void close() {
                signs.close();
            }
        };
    }

    @Test
    void anIterationThatTakesLongIsLookedAtEachTime() throws IOException {
        long[] nanos = new long[1];
        AtomicInteger looks = new AtomicInteger();
        StopAgreement agreement = new StopAgreement(counting(new GivenSigns(), looks), 512, () -> nanos[0]);
        for (int i = 0; i < 20; i++) {
            nanos[0] += 30_000_000_000L;
            agreement.look(new SingleCommunicator());
        }
        assertThat(looks.get()).isEqualTo(20);
    }
}
