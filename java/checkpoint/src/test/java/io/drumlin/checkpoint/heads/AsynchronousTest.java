package io.drumlin.checkpoint.heads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.DatasetGroup;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Status;
import io.drumlin.checkpoint.fixture.MixedVariables;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.data.AsyncCopy;
import io.drumlin.checkpoint.internal.data.ProtectedData;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checkpoints that a thread of each rank takes while the rank computes. */
class AsynchronousTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    private RunFixture run() throws IOException {
        return new RunFixture(directory, Map.of("drumlin.async", "1", "basic.node_size", "1", "basic.group_size", "2"));
    }

    /** Where no memory is left for the copy, all ranks are told at once. */
    @Test
    void theCopyMayFail() throws IOException {
        RunFixture run = run();
        List<String> told = ThreadCommunicator.call(RANKS, comm -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                MixedVariables data = new MixedVariables(checkpoints);
                data.set(1, comm.rank());
                if (comm.rank() == 1) {
                    storage.fail(Operation.MEMORY, 1, "ENOMEM");
                }
                String message = "";
                try {
                    checkpoints.checkpoint(1, Level.L1);
                } catch (IOException e) {
                    message = e.getMessage();
                }
                checkpoints.checkpoint(2, Level.L1);
                checkpoints.await();
                return message;
            }
        });
        assertThat(told).allMatch(message -> message.contains("copying the data of checkpoint 1"));
    }

    @Test
    void anMpiForOneThreadIsRefused() throws IOException {
        RunFixture run = run();
        assertThatThrownBy(() -> ThreadCommunicator.run(RANKS, comm -> {
                    try (Checkpoints checkpoints = Checkpoints.open(run.config(), forOneThread(comm))) {
                        throw new AssertionError(checkpoints.execId());
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("MPI_THREAD_MULTIPLE");
    }

    private static Communicator forOneThread(Communicator real) {
        return (Communicator) Proxy.newProxyInstance(
                Communicator.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("threadMultiple")) {
                        return false;
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Communicator derived ? forOneThread(derived) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void theLastCheckpointCountsWhenTheRunIsCompleted() throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("drumlin.async", "1", "basic.keep_last_ckpt", "1"));
        run.run(RANKS, (checkpoints, comm) -> {
            MixedVariables data = new MixedVariables(checkpoints);
            data.set(5, comm.rank());
            checkpoints.checkpoint(5, Level.L1);
            checkpoints.complete();
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            MixedVariables data = new MixedVariables(checkpoints);
            checkpoints.recover();
            data.require(5, comm.rank());
        });
    }

    /** An element is never cut, whatever the sizes of variables before it, and pieces of memory are used again. */
    @Test
    void copiesOfAnySizes() throws IOException {
        try (AsyncCopy staged = new AsyncCopy(new NioEngine())) {
            for (int round = 1; round <= 3; round++) {
                byte[] bytes = new byte[65_533 * round];
                double[] doubles = new double[9_001];
                long[] longs = new long[20_000 / round];
                Arrays.fill(bytes, (byte) round);
                Arrays.setAll(doubles, i -> i + 0.5);
                Arrays.setAll(longs, i -> ~i);
                Map<Integer, ProtectedData> copies = staged.copy(new LinkedHashMap<>(
                        Map.of(1, ProtectedData.of(bytes), 2, ProtectedData.of(doubles), 3, ProtectedData.of(longs))));
                for (Object original : List.of(bytes, doubles, longs)) {
                    int id = original == bytes ? 1 : original == doubles ? 2 : 3;
                    ProtectedData expected = ProtectedData.of(original);
                    ProtectedData copy = copies.get(id);
                    assertThat(copy.size()).isEqualTo(expected.size());
                    ByteBuffer left = ByteBuffer.allocate((int) expected.size());
                    ByteBuffer right = ByteBuffer.allocate((int) expected.size());
                    expected.copyOut(0, left);
                    // From the middle of an element on, as containers may begin.
                    copy.copyOut(0, right.limit(3));
                    copy.copyOut(3, right.limit(right.capacity()));
                    assertThat(right.flip()).isEqualTo(left.flip());
                }
            }
        }
    }

    /** The thread of the checkpoint comes to the names when the program has changed them. */
    @Test
    void groupsHaveTheNamesOfTheirMoment() throws Exception {
        RunFixture run =
                new RunFixture(directory, Map.of("drumlin.async", "1", "basic.node_size", "1", "basic.ckpt_io", "5"));
        CountDownLatch renamed = new CountDownLatch(1);
        ThreadCommunicator.run(1, comm -> {
            Thread program = Thread.currentThread();
            StorageEngine storage = waitingElsewhere(program, renamed);
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                DatasetGroup outer = ((FtiCheckpoints) checkpoints).datasets().group("outer_then");
                DatasetGroup inner = outer.group("inner_then");
                checkpoints.protect(0, new int[] {1});
                ((FtiCheckpoints) checkpoints).defineDataset(0, null, List.of(), inner);
                checkpoints.checkpoint(1, Level.L1);
                inner.rename("inner_now");
                outer.rename("outer_now");
                outer.group("another_now");
                renamed.countDown();
                checkpoints.await();
            }
        });
        String file = Files.readString(run.file("Ckpt1-Rank0.h5"), StandardCharsets.ISO_8859_1);
        assertThat(file).contains("outer_then", "inner_then").doesNotContain("_now");
    }

    /** A storage engine that lets other threads than the program's wait before they do anything. */
    private static StorageEngine waitingElsewhere(Thread program, CountDownLatch latch) {
        StorageEngine real = new NioEngine();
        return (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    if (Thread.currentThread() != program) {
                        latch.await();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
