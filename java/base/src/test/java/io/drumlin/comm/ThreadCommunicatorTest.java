package io.drumlin.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ThreadCommunicatorTest {

    abstract static class Ranks extends CommunicatorContract {
        private final int size;

        Ranks(int size) {
            this.size = size;
        }

        @Override
        protected void onRanks(RankBody<Exception> body) throws Exception {
            ThreadCommunicator.run(size, body);
        }
    }

    @Nested
    class OneRank extends Ranks {
        OneRank() {
            super(1);
        }
    }

    @Nested
    class TwoRanks extends Ranks {
        TwoRanks() {
            super(2);
        }
    }

    @Nested
    class FourRanks extends Ranks {
        FourRanks() {
            super(4);
        }
    }

    @Nested
    class SevenRanks extends Ranks {
        SevenRanks() {
            super(7);
        }
    }

    @Test
    void returnsTheResultsInRankOrder() {
        List<String> results =
                ThreadCommunicator.call(3, world -> Thread.currentThread().getName() + " of " + world.size());
        assertThat(results).containsExactly("drumlin-rank-0 of 3", "drumlin-rank-1 of 3", "drumlin-rank-2 of 3");
    }

    @Test
    void aJobHasAtLeastOneRank() {
        assertThatIllegalArgumentException().isThrownBy(() -> ThreadCommunicator.run(0, world -> {}));
    }

    @Test
    void aFailingRankReleasesTheOthersWhereverTheyWait() {
        ConcurrentLinkedQueue<Throwable> released = new ConcurrentLinkedQueue<>();
        AssertionError boom = new AssertionError("boom");
        Throwable thrown = catchThrowable(() -> ThreadCommunicator.run(5, world -> {
            try (Communicator copy = world.dup()) {
                try {
                    switch (world.rank()) {
                        case 0 -> world.barrier();
                        case 1 -> copy.receive(ByteBuffer.allocate(8), 2, 0);
                        case 2 -> copy.split(0, 0);
                        case 3 -> sendUntilReleased(copy);
                        default -> throw boom;
                    }
                } catch (IOException e) {
                    released.add(e);
                    throw e;
                }
            }
        }));
        assertThat(thrown).isSameAs(boom).hasNoSuppressedExceptions();
        assertThat(released).hasSize(4).allSatisfy(e -> assertThat(e)
                .isInstanceOf(DrumlinException.class)
                .hasCause(boom)
                .hasMessageContaining("rank 4 of the job failed")
                .hasMessageContaining("boom"));
    }

    @Test
    void ranksThatNameDifferentSubsetsAreTold() {
        assertThatThrownBy(() -> ThreadCommunicator.run(
                        2, world -> world.subset(world.rank() == 0 ? new int[] {0, 1} : new int[] {1})))
                .isInstanceOf(MeetingException.class)
                .hasMessageContaining("subset of 2 ranks")
                .hasMessageContaining("do not name the same ranks");
    }

    private static void sendUntilReleased(Communicator world) throws IOException {
        while (true) {
            world.send(ByteBuffer.allocate(0), world.rank(), 0);
        }
    }

    @Test
    void abortReleasesTheOthers() {
        assertThatThrownBy(() -> ThreadCommunicator.run(3, world -> {
                    if (world.rank() == 1) {
                        world.abort(7);
                    }
                    world.barrier();
                }))
                .isInstanceOfSatisfying(
                        JobAbortedException.class, e -> assertThat(e.code()).isEqualTo(7))
                .hasMessageContaining("rank 1")
                .hasMessageContaining("code 7");
    }

    @Test
    void failuresOfTheirOwnAreKeptBesideTheFirst() {
        CountDownLatch firstIsKnown = new CountDownLatch(1);
        Throwable thrown = catchThrowable(() -> ThreadCommunicator.run(3, world -> {
            switch (world.rank()) {
                case 0 -> throw new IllegalStateException("first");
                case 1 -> {
                    // Released by the first failure, so the second one comes later.
                    catchThrowable(world::barrier);
                    firstIsKnown.countDown();
                    throw new IllegalStateException("second");
                }
                default -> firstIsKnown.await();
            }
        }));
        assertThat(thrown).hasMessage("first");
        assertThat(thrown.getSuppressed()).singleElement().satisfies(e -> assertThat(e)
                .hasMessage("second"));
    }

    @Test
    void aRankThatHasReturnedIsNotWaitedFor() {
        assertThatThrownBy(() -> ThreadCommunicator.run(2, world -> {
                    if (world.rank() == 0) {
                        world.receive(ByteBuffer.allocate(1), 1, 0);
                    }
                }))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("rank 0: receive from rank 1 failed: rank 1 of the job has returned");
        assertThatThrownBy(() -> ThreadCommunicator.run(3, world -> {
                    if (world.rank() != 1) {
                        world.barrier();
                    }
                }))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("barrier failed: rank 1 of the job has returned");
    }

    @Test
    void aMessageOfARankThatHasReturnedOrFailedIsNotLookedForForEver() {
        assertThatThrownBy(() -> ThreadCommunicator.run(2, world -> lookForAMessage(world, 1)))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("rank 1 of the job has returned");
        ConcurrentLinkedQueue<Throwable> released = new ConcurrentLinkedQueue<>();
        assertThatThrownBy(() -> ThreadCommunicator.run(3, world -> {
                    if (world.rank() == 2) {
                        throw new IllegalStateException("boom");
                    }
                    try {
                        lookForAMessage(world, 1);
                    } catch (IOException e) {
                        released.add(e);
                    }
                    // Not a return, which would be found first.
                    world.barrier();
                }))
                .hasMessage("boom");
        assertThat(released).singleElement().satisfies(e -> assertThat(e)
                .hasMessageContaining("rank 2 of the job failed"));
    }

    private static void lookForAMessage(Communicator world, int source) throws IOException {
        boolean found = world.rank() != 0;
        while (!found) {
            found = world.hasMessage(source, 0);
        }
    }

    @Test
    void aMessageOutlivesItsSender() throws Exception {
        AtomicReference<Thread> sender = new AtomicReference<>();
        CountDownLatch sent = new CountDownLatch(1);
        ThreadCommunicator.<Exception>run(2, world -> {
            if (world.rank() == 1) {
                sender.set(Thread.currentThread());
                world.send(ByteBuffer.allocate(5), 0, 0);
                sent.countDown();
            } else {
                sent.await();
                sender.get().join();
                assertThat(world.receive(ByteBuffer.allocate(5), 1, 0)).isEqualTo(5);
            }
        });
    }

    @Test
    void ranksInDifferentCollectiveCallsAreToldSo() {
        assertThatThrownBy(() -> ThreadCommunicator.run(2, world -> {
                    if (world.rank() == 0) {
                        world.barrier();
                    } else {
                        world.bcast(ByteBuffer.allocate(4), 1);
                    }
                }))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("rank 0 in barrier, rank 1 in bcast of 4 bytes from root 1");
    }

    @Test
    void ranksWithDifferentLengthsAreToldSo() {
        assertThatThrownBy(() -> ThreadCommunicator.run(
                        2, world -> world.allreduce(new long[1 + world.rank()], Communicator.Op.SUM)))
                .isInstanceOf(DrumlinException.class)
                .hasMessageContaining("rank 0 in allreduce SUM of 1 values, rank 1 in allreduce SUM of 2 values");
    }

    /** It is in the collective call for the others, so that there can be no other one. */
    @Test
    void aRankThatIsInterruptedInACollectiveCallSaysSoFromThenOn() {
        List<String> said = Collections.synchronizedList(new ArrayList<>());
        assertThatThrownBy(() -> ThreadCommunicator.run(2, world -> {
                    if (world.rank() == 1) {
                        world.receive(ByteBuffer.allocate(0), 0, 0);
                        return;
                    }
                    Thread.currentThread().interrupt();
                    for (int i = 0; i < 2; i++) {
                        assertThatThrownBy(world::barrier).satisfies(e -> said.add(String.valueOf(e.getMessage())));
                        assertThat(Thread.interrupted()).isEqualTo(i == 0);
                    }
                }))
                .hasMessageContaining("interrupted");
        assertThat(said).hasSize(2).allSatisfy(message -> assertThat(message).contains("interrupted"));
    }

    @Test
    void interruptingTheCallerEndsTheJob() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(2);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread caller = new Thread(() -> {
            thrown.set(catchThrowable(() -> ThreadCommunicator.run(2, world -> {
                running.countDown();
                world.receive(ByteBuffer.allocate(1), world.rank(), 0);
            })));
            flag.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        running.await();
        caller.interrupt();
        caller.join();
        assertThat(thrown.get()).isInstanceOf(DrumlinException.class).hasMessageContaining("interrupted");
        assertThat(flag.get()).isTrue();
    }

    @Test
    void aLargeSendEndsWhenItIsReceived() throws IOException {
        ByteBuffer large = ByteBuffer.allocateDirect(1 << 20);
        ThreadCommunicator.run(2, comm -> {
            if (comm.rank() == 0) {
                // Otherwise a rank that only sends could fill the memory of the job.
                assertThatThrownBy(() -> comm.startSend(large, 1, 1).await())
                        .isInstanceOf(DrumlinException.class)
                        .hasMessageContaining("rank 1 of the job has returned");
            }
        });
    }
}
