package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.NioEngine;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checkpoints that a thread of each rank takes while the rank computes. */
class AsynchronousTest {

    private static final int RANKS = 4;

    @TempDir
    Path directory;

    private RunFixture run(String ioMode) throws IOException {
        return new RunFixture(
                directory,
                Map.of("drumlin.async", "1", "basic.node_size", "1", "basic.group_size", "2", "basic.ckpt_io", ioMode));
    }

    /** Of several kinds and sizes, one of them of nothing. */
    private static final class Data {
        private final Scalar.OfInt step = new Scalar.OfInt(0);
        private final double[] grid = new double[40_000];
        private final short[] odd = new short[12_345];
        private final byte[] nothing = {};

        Data(Checkpoints checkpoints) {
            checkpoints.protect(0, step);
            checkpoints.protect(1, odd);
            checkpoints.protect(2, nothing);
            checkpoints.protect(3, grid);
        }

        void set(int value, int rank) {
            step.value = value;
            Arrays.setAll(grid, i -> value * 1e6 + rank * 1e5 + i);
            Arrays.fill(odd, (short) (100 * rank + value));
        }

        void require(int value, int rank) {
            assertThat(step.value).isEqualTo(value);
            for (int i = 0; i < grid.length; i++) {
                assertThat(grid[i] == value * 1e6 + rank * 1e5 + i).isTrue();
            }
            assertThat(odd).containsOnly((short) (100 * rank + value));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, L1", "1, L2", "1, L3", "1, L4", "2, L4", "3, L1", "3, L2", "3, L3", "3, L4", "4, L4"})
    void aCheckpointHasTheDataOfItsMoment(String ioMode, Level level) throws IOException {
        RunFixture run = run(ioMode);
        run.run(RANKS, (checkpoints, comm) -> {
            Data data = new Data(checkpoints);
            data.set(1, comm.rank());
            checkpoints.checkpoint(1, level);
            assertThat(checkpoints.isUnderway()).isTrue();
            data.set(2, comm.rank());
            talk(checkpoints.communicator());
            checkpoints.await();
            assertThat(checkpoints.isUnderway()).isFalse();
            assertThat(checkpoints.lastCheckpoint()).contains(1);
            checkpoints.recover();
            data.require(1, comm.rank());
            data.set(3, comm.rank());
            checkpoints.checkpoint(3, level);
            data.set(4, comm.rank());
            // Whoever closes waits, too.
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.lastLevel()).contains(level);
            Data data = new Data(checkpoints);
            checkpoints.recover();
            data.require(3, comm.rank());
        });
    }

    /** The program's own messages, at the same time as those of the checkpoint. */
    private static void talk(Communicator comm) throws IOException {
        for (int i = 0; i < 50; i++) {
            long[] sum = {comm.rank() + i};
            comm.allreduce(sum, Op.SUM);
            assertThat(sum[0]).isEqualTo(6 + 4L * i);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, L1", "3, L2", "1, L3", "2, L4"})
    void aFailureIsThrownOnAllRanksByTheNextCall(String ioMode, Level level) throws IOException {
        RunFixture run = run(ioMode);
        List<List<String>> told = ThreadCommunicator.call(RANKS, comm -> {
            List<String> failures = new ArrayList<>();
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                Data data = new Data(checkpoints);
                if (comm.rank() == 2) {
                    storage.fail(Operation.SYNC, 1, "ENOSPC");
                }
                data.set(1, comm.rank());
                checkpoints.checkpoint(1, level);
                data.set(2, comm.rank());
                try {
                    checkpoints.checkpoint(2, level);
                } catch (IOException e) {
                    failures.add(e.getMessage());
                }
                assertThat(checkpoints.lastCheckpoint()).isEmpty();
                assertThat(run.restartValue("failure")).isEqualTo("0");
                checkpoints.checkpoint(2, level);
                checkpoints.await();
                data.set(3, comm.rank());
                checkpoints.recover();
                data.require(2, comm.rank());
            }
            return failures;
        });
        assertThat(told)
                .allMatch(failures -> failures.size() == 1 && failures.get(0).contains("ENOSPC"));
    }

    /** Where no memory is left for the copy, all ranks are told at once. */
    @Test
    void theCopyMayFail() throws IOException {
        RunFixture run = run("3");
        List<String> told = ThreadCommunicator.call(RANKS, comm -> {
            FaultyEngine storage = new FaultyEngine(new NioEngine(), false);
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                Data data = new Data(checkpoints);
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
        RunFixture run = run("3");
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
            Data data = new Data(checkpoints);
            data.set(5, comm.rank());
            checkpoints.checkpoint(5, Level.L1);
            checkpoints.complete();
        });
        run.run(RANKS, (checkpoints, comm) -> {
            assertThat(checkpoints.status()).isEqualTo(Status.RESTART_FROM_KEPT);
            Data data = new Data(checkpoints);
            checkpoints.recover();
            data.require(5, comm.rank());
        });
    }

    /** An element is never cut, whatever the sizes of variables before it, and pieces of memory are used again. */
    @Test
    void copiesOfAnySizes() {
        try (StagedData staged = new StagedData(new NioEngine())) {
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
                DatasetGroup outer = checkpoints.datasets().group("outer_then");
                DatasetGroup inner = outer.group("inner_then");
                checkpoints.protect(0, new int[] {1});
                checkpoints.defineDataset(0, Optional.empty(), List.of(), Optional.of(inner));
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
