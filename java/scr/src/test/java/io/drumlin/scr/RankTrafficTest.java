package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.scr.internal.settings.CopyType;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a rank sends and receives that neither is the first of the job nor acts for its node. */
@Tag("exhaustive")
class RankTrafficTest {

    private static final int NODE_RANKS = 4;

    /** In the second node, whose cache is lost. Its partners are in the first four nodes. */
    private static final int MEASURED = NODE_RANKS + 1;

    /** Some numbers have more digits in a larger job. */
    private static final Percentage DIGITS = withPercentage(1);

    @TempDir
    Path directory;

    /** What a rank does with its datasets. */
    private interface Body {
        void run(ScrDatasets datasets, int rank) throws IOException;
    }

    @ParameterizedTest
    @CsvSource({"SINGLE", "PARTNER", "XOR", "RS"})
    void doesNotGrowWithTheNumberOfRanks(CopyType type) throws IOException {
        Map<String, Long> few = measure(type, 16);
        Map<String, Long> many = measure(type, 64);
        assertThat(many.keySet()).isEqualTo(few.keySet());
        many.forEach((step, bytes) -> assertThat(bytes).as(step).isCloseTo(few.get(step), DIGITS));
    }

    /** Returns the bytes of each step. */
    private Map<String, Long> measure(CopyType type, int ranks) throws IOException {
        Map<String, Long> bytes = new LinkedHashMap<>();
        Path root = directory.resolve(type + "_" + ranks);
        bytes.put("start", job(root, ranks, type, 0, (datasets, rank) -> {}));
        bytes.put("start and checkpoint", job(root, ranks, type, 0, (datasets, rank) -> write(root, datasets, rank)));
        bytes.put("restart", job(root, ranks, type, 0, RankTrafficTest::read));
        bytes.put("restart in other nodes", job(root, ranks, type, 1, RankTrafficTest::read));
        job(root, ranks, type, 0, RankTrafficTest::read);
        DatasetJobs.delete(root.resolve("n01"));
        bytes.put("restart after a loss", job(root, ranks, type, 0, RankTrafficTest::read));
        return bytes;
    }

    private static void write(Path root, ScrDatasets datasets, int rank) throws IOException {
        datasets.startOutput("ckpt.1", true, true);
        Files.write(datasets.routeFile(root.resolve("prefix/ckpt.1/data" + rank)), new byte[100]);
        datasets.completeOutput(true);
    }

    /** Also after a loss that the caches cannot make good: then the files come from the prefix directory. */
    private static void read(ScrDatasets datasets, int rank) throws IOException {
        assertThat(datasets.haveRestart()).contains("ckpt.1");
        datasets.startRestart();
        assertThat(datasets.routeFile(Path.of("data" + rank))).hasSize(100);
        datasets.completeRestart(true);
    }

    /**
     * Runs a job and returns the bytes of one rank.
     *
     * @param shift how many nodes further each rank runs
     */
    private static long job(Path root, int ranks, CopyType type, int shift, Body body) throws IOException {
        AtomicLong bytes = new AtomicLong();
        ThreadCommunicator.run(ranks, world -> {
            AtomicLong own = world.rank() == MEASURED ? bytes : new AtomicLong();
            int node = (world.rank() / NODE_RANKS + shift) % (ranks / NODE_RANKS);
            ScrConfig config = config(root, type, String.format("n%02d", node));
            try (ScrDatasets datasets = ScrDatasets.open(config, counting(world, own), new NioEngine())) {
                body.run(datasets, world.rank());
            }
        });
        return bytes.get();
    }

    private static ScrConfig config(Path root, CopyType type, String node) {
        return new ScrConfig(Map.of())
                .set("SCR_PREFIX", root.resolve("prefix").toString())
                .set("SCR_CACHE_BASE", root.resolve(node).toString())
                .set("SCR_CNTL_BASE", root.resolve(node).toString())
                .set("SCR_NODE_NAME", node)
                .set("SCR_USER_NAME", "user1")
                .set("SCR_JOB_ID", "112573")
                .set("SCR_CACHE_BYPASS", "0")
                .set("SCR_COPY_TYPE", type.toString())
                .set("SCR_SET_FAILURES", "2")
                .set("SCR_SET_SIZE", "4");
    }

    /** Returns a communicator whose calls by one rank, and those of the communicators made from it, are added up. */
    private static Communicator counting(Communicator real, AtomicLong bytes) {
        return (Communicator) Proxy.newProxyInstance(
                Communicator.class.getClassLoader(),
                new Class<?>[] {Communicator.class},
                (proxy, method, arguments) -> {
                    bytes.addAndGet(bytes(real, method, arguments));
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Communicator made ? counting(made, bytes) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Returns the bytes that a call has in the memory of this rank, also for the work of MPI. */
    private static long bytes(Communicator real, Method method, Object[] arguments) {
        long size = real.size();
        return switch (method.getName()) {
            case "rank", "size", "close", "barrier", "dup", "hasMessage", "toString" -> 0;
            case "exscan" -> Long.BYTES;
            // MPI tells every rank the color and the key of every other one.
            case "split" -> size * 2 * Integer.BYTES;
            case "gather" -> length(arguments[0]) * (arguments[2].equals(real.rank()) ? size + 1 : 1);
            case "scatter" -> length(arguments[1]) * (arguments[2].equals(real.rank()) ? size + 1 : 1);
            case "allgather" -> length(arguments[0]) * (size + 1);
            case "allreduce", "reduce", "bcast", "send", "receive", "startSend", "startReceive", "subset" ->
                length(arguments[0]);
            default -> throw new AssertionError("bytes of " + method);
        };
    }

    private static long length(Object message) {
        if (message instanceof ByteBuffer buffer) {
            return buffer.remaining();
        }
        int wide = message instanceof long[] || message instanceof double[] ? Long.BYTES : Integer.BYTES;
        return (long) Array.getLength(message) * wide;
    }
}
