package io.drumlin.checkpoint.heads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.HeadCallback;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.EngineLog;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heads that work for the program between checkpoints: 2 nodes of a head and a rank of the application. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HeadCallbackTest {

    private static final int RANKS = 4;

    /** Kept, because a logger without a strong reference forgets its handlers. */
    @TempDir
    Path directory;

    private RunFixture run() throws IOException {
        return new RunFixture(directory, "head=1, node_size=2, group_size=2, inline_l2=0, inline_l3=0, inline_l4=0");
    }

    private static void open(RunFixture run, HeadCallback callback, RunFixture.Body body) throws IOException {
        run.run(RANKS, (builder, rank) -> builder.headCallback(callback), (checkpoints, comm) -> {
            body.run(checkpoints, comm);
        });
    }

    private static int[] values(Communicator comm, int id) {
        int[] values = new int[500];
        Arrays.setAll(values, i -> id * 1_000_000 + comm.rank() * 10_000 + i);
        return values;
    }

    private static void take(Checkpoints checkpoints, Communicator comm, int id, Level level) throws IOException {
        checkpoints.protect(0, values(comm, id));
        checkpoints.checkpoint(id, level);
    }

    private static void recover(RunFixture run, int id, Level level) throws IOException {
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).contains(id);
            assertThat(checkpoints.lastLevel()).contains(level);
            int[] found = new int[500];
            checkpoints.protect(0, found);
            checkpoints.recover();
            assertThat(found).isEqualTo(values(comm, id));
        });
    }

    private static void acquire(Semaphore semaphore, int permits) {
        try {
            assertThat(semaphore.tryAcquire(permits, 30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns when a call has begun and ended; {@code calls} is released in the end of each. */
    private static void awaitCalls(Semaphore calls) {
        calls.drainPermits();
        // The first one may have been under way.
        acquire(calls, 2);
    }

    /** A callback that returns at once, and one that works for longer than heads pause. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000})
    void headsCallItBetweenCheckpoints(long nanoseconds) throws IOException {
        RunFixture run = run();
        Set<String> callers = ConcurrentHashMap.newKeySet();
        List<Semaphore> calls = List.of(new Semaphore(0), new Semaphore(0));
        HeadCallback callback = head -> {
            callers.add("head " + head.isHead() + ", rank " + head.describe().rank() + ", "
                    + head.communicator().rank() + " of " + head.communicator().size());
            long end = System.nanoTime() + nanoseconds;
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            calls.get(((FtiCheckpoints) head).node()).release();
        };
        open(run, callback, (checkpoints, comm) -> {
            int id = 0;
            for (Level level : List.of(Level.L1, Level.L2, Level.L3, Level.L4, Level.L2)) {
                awaitCalls(calls.get(((FtiCheckpoints) checkpoints).node()));
                take(checkpoints, comm, ++id, level);
            }
            checkpoints.await();
            awaitCalls(calls.get(((FtiCheckpoints) checkpoints).node()));
        });
        assertThat(callers).containsExactlyInAnyOrder("head true, rank 0, 0 of 2", "head true, rank 2, 1 of 2");
        recover(run, 5, Level.L2);
    }

    @Test
    void aHeadCallsItOnceMoreWhenTheApplicationHasLeft() throws IOException {
        RunFixture run = run();
        AtomicInteger calls = new AtomicInteger();
        Semaphore began = new Semaphore(0);
        Semaphore left = new Semaphore(0);
        HeadCallback callback = head -> {
            if (((FtiCheckpoints) head).node() == 0 && calls.incrementAndGet() == 1) {
                began.release(RANKS);
                acquire(left, RANKS / 2);
            }
        };
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .headCallback(callback)
                    .open()) {
                acquire(began, 1);
                if (checkpoints.isHead() && ((FtiCheckpoints) checkpoints).node() == 0) {
                    assertThat(calls.get()).isEqualTo(2);
                }
            }
            // A rank of the application has given its last order.
            if (comm.rank() % 2 == 1) {
                left.release();
            }
        });
        assertThat(calls.get()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(classes = {IOException.class, IllegalStateException.class, NoClassDefFoundError.class})
    void whatItThrowsIsLoggedAndTheHeadGoesOn(Class<? extends Throwable> type) throws Exception {
        RunFixture run = run();
        Throwable failure = type.getConstructor(String.class).newInstance("boom");
        AtomicInteger failed = new AtomicInteger();
        Semaphore others = new Semaphore(0);
        HeadCallback callback = head -> {
            if (((FtiCheckpoints) head).node() == 1) {
                failed.incrementAndGet();
                HeadCallbackTest.<RuntimeException>sneakyThrow(failure);
            }
            others.release();
        };
        List<LogRecord> records = EngineLog.during(() -> open(run, callback, (checkpoints, comm) -> {
            int id = 0;
            for (Level level : List.of(Level.L2, Level.L3, Level.L4)) {
                take(checkpoints, comm, ++id, level);
                checkpoints.await();
                if (((FtiCheckpoints) checkpoints).node() == 0) {
                    // The head of the other node calls it as before.
                    awaitCalls(others);
                }
            }
        }));
        assertThat(failed.get()).isOne();
        assertThat(records).singleElement().satisfies(record -> {
            assertThat(record.getLevel()).isEqualTo(java.util.logging.Level.SEVERE);
            assertThat(record.getThrown()).isSameAs(failure);
            assertThat(record.getMessage())
                    .isEqualTo("rank 2, head of node 1: the callback failed and is not called again; the head goes on"
                            + " with the checkpoints of its node");
        });
        recover(run, 3, Level.L4);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> void sneakyThrow(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /** Heads that look for orders again and again must notice. */
    @Test
    void theCallsEndWithAJobThatFails() throws IOException {
        RunFixture run = run();
        Semaphore calls = new Semaphore(0);
        assertThatThrownBy(() -> open(run, head -> calls.release(), (checkpoints, comm) -> {
                    if (((FtiCheckpoints) checkpoints).node() == 0) {
                        acquire(calls, 10);
                        throw new IllegalStateException("boom");
                    }
                }))
                .hasMessageContaining("boom");
    }

    /** A mistake, after which the head cannot be reached any more. */
    @Test
    void aRunThatIsClosedByItEndsTheJob() throws IOException {
        RunFixture run = run();
        assertThatThrownBy(() -> EngineLog.during(() -> open(run, Checkpoints::close, (checkpoints, comm) -> {
                    take(checkpoints, comm, 1, Level.L2);
                    checkpoints.await();
                })))
                .hasMessageContaining("aborted the job");
    }
}
