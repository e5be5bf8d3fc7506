package io.drumlin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.NioEngine;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read and taken to make lost files again. */
@Tag("exhaustive")
class RestorationTest {

    private static final int RANKS = 4;
    private static final int BYTES = 12 << 20;

    /** Bytes of metadata, of what is between chunks, and of what is ahead of that. */
    private static final int LITTLE = 5 << 20;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"L2, 1", "L2, 5", "L3, 5", "L3, 1"})
    void eachFileIsReadOnceWhereThereIsMemory(Level level, String ioMode) throws IOException {
        RunFixture run = checkpointed(level, ioMode, "1000");
        List<Long> bytes = readAfterLossOfRankOne(run);
        for (int rank = 0; rank < RANKS; rank++) {
            // What is made again is verified and recovered from memory.
            assertThat(bytes.get(rank)).as("rank %d", rank).isLessThan(rank == 1 ? LITTLE : 2 * BYTES + LITTLE);
        }
    }

    @ParameterizedTest
    @CsvSource({"5", "1"})
    void theyAreReadAgainWithoutMemory(String ioMode) throws IOException {
        RunFixture run = checkpointed(Level.L3, ioMode, "0");
        List<Long> bytes = readAfterLossOfRankOne(run);
        assertThat(bytes.get(0)).isGreaterThan(3 * BYTES);
        assertThat(bytes.get(1)).isGreaterThan(2 * BYTES);
    }

    /**
     * What is sent is hashed on its way, at level 2 on both sides; what is made at level 3 is read to be verified. Nor is kept what has digests
     * of its own.
     */
    @ParameterizedTest
    @CsvSource({"L2, 1, 0", "L2, 3, 0", "L2, 3, 1000", "L3, 3, 0", "L3, 3, 1000"})
    void onlyWhatIsRecoveredIsReadAgain(Level level, String ioMode, String memory) throws IOException {
        RunFixture run = checkpointed(level, ioMode, memory);
        List<Long> bytes = readAfterLossOfRankOne(run);
        // With one digest for all data what was hashed on its way is read once more, to be compared in parts.
        long again = ioMode.equals("1") ? BYTES : 0;
        assertThat(bytes.get(0)).isBetween(3L * BYTES, 3L * BYTES + again + LITTLE);
        long own = level == Level.L2 ? BYTES : 2L * BYTES;
        assertThat(bytes.get(1)).isBetween(own, own + again + LITTLE);
    }

    /** From the encoded files alone; with one digest for all data nothing that is read again is compared. */
    @Test
    void aPlainFileWithOneDigestIsRecoveredFromTheMemoryItWasMadeIn() throws IOException {
        RunFixture run = checkpointed(Level.L3, "1", "1000");
        for (int rank = 0; rank < RANKS; rank++) {
            Files.delete(run.file("Ckpt1-Rank" + rank + ".fti"));
        }
        assertThat(read(run)).allSatisfy(bytes -> assertThat(bytes).isLessThan(BYTES + LITTLE));
    }

    /** The others wait to read until it has: it must not wait for them, but they would for it. */
    @Test
    void memoryIsTakenBeforeTheOthersRead() throws IOException {
        int bytes = KeptFile.BLOCK_BYTES + BYTES;
        RunFixture run = checkpointed(Level.L3, "1", "1000", bytes);
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        CountDownLatch taken = new CountDownLatch(1);
        AtomicInteger waited = new AtomicInteger();
        ThreadCommunicator.run(RANKS, comm -> {
            FaultyEngine engine = new FaultyEngine(new NioEngine(), false);
            StorageEngine storage = comm.rank() == 1
                    ? intercepted(engine, "allocateOnce", call -> {
                        Object memory = call.call();
                        taken.countDown();
                        return memory;
                    })
                    : intercepted(engine, "map", call -> {
                        assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
                        waited.incrementAndGet();
                        return call.call();
                    });
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(storage)
                    .open()) {
                byte[] values = new byte[bytes];
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values).isEqualTo(values(comm.rank(), bytes));
            }
        });
        assertThat(waited.get()).isGreaterThanOrEqualTo(RANKS - 1);
    }

    /** What is done instead of a call. */
    private interface Interceptor {
        Object run(Callable<Object> call) throws Exception;
    }

    private static StorageEngine intercepted(StorageEngine real, String method, Interceptor interceptor) {
        return (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, called, arguments) -> {
                    Callable<Object> call = () -> {
                        try {
                            return called.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause() instanceof Exception cause ? cause : e;
                        }
                    };
                    return called.getName().equals(method) ? interceptor.run(call) : call.call();
                });
    }

    private RunFixture checkpointed(Level level, String ioMode, String memory) throws IOException {
        return checkpointed(level, ioMode, memory, BYTES);
    }

    private RunFixture checkpointed(Level level, String ioMode, String memory, int bytes) throws IOException {
        RunFixture run = new RunFixture(
                directory,
                Map.of(
                        "basic.node_size",
                        "1",
                        "basic.group_size",
                        "4",
                        "basic.ckpt_io",
                        ioMode,
                        "drumlin.restart_memory",
                        memory));
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(0, values(comm.rank(), bytes));
            checkpoints.checkpoint(1, level);
        });
        return run;
    }

    private List<Long> readAfterLossOfRankOne(RunFixture run) throws IOException {
        DirectoryTree.delete(directory.resolve("Local/node1"), new NioEngine());
        return read(run);
    }

    private static byte[] values(int rank, int bytes) {
        byte[] values = new byte[bytes];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (31 * i + (i >>> 12) + rank);
        }
        return values;
    }

    /** Bytes that each rank reads in a restart and a recovery, mapped files apart. */
    private List<Long> read(RunFixture run) throws IOException {
        List<FaultyEngine> engines = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            engines.add(new FaultyEngine(new NioEngine(), false));
        }
        ThreadCommunicator.run(RANKS, comm -> {
            try (Checkpoints checkpoints = Checkpoints.builder(run.config())
                    .communicator(comm)
                    .storage(engines.get(comm.rank()))
                    .open()) {
                byte[] values = new byte[BYTES];
                checkpoints.protect(0, values);
                checkpoints.recover();
                assertThat(values).isEqualTo(values(comm.rank(), BYTES));
            }
        });
        return engines.stream().map(engine -> engine.bytesRead(directory)).toList();
    }
}
