package io.drumlin.scr;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.RankBody;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.scr.internal.index.IndexFile;
import io.drumlin.scr.internal.index.ScrIndex;
import io.drumlin.scr.internal.store.ScrPrefix;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of four ranks, each at first in a node of its own, that write and read datasets. */
public abstract class DatasetJobs {

    public static final int RANKS = 4;

    @TempDir
    public Path directory;

    public final Map<String, String> parameters = new HashMap<>(Map.of("SCR_CACHE_BYPASS", "0", "SCR_CACHE_SIZE", "2"));
    public StorageEngine storage = new NioEngine();

    /** In which node each rank runs. */
    public final int[] nodeOf = {0, 1, 2, 3};

    /** Where the nodes are below the directory. */
    public String nodes = "nodes";

    public Path prefix() {
        return directory.resolve("prefix");
    }

    public Path node(int node) {
        return directory.resolve(nodes).resolve("n" + node);
    }

    /** The datasets of a node. */
    public Path cache(int node) {
        return node(node).resolve("user1/scr.112573");
    }

    public void place(int... nodes) {
        System.arraycopy(nodes, 0, nodeOf, 0, RANKS);
    }

    /** What a rank does with its datasets. */
    public interface Body {
        void run(ScrDatasets datasets, int rank) throws IOException;
    }

    ScrConfig config(Communicator world) {
        int node = nodeOf[world.rank() % RANKS];
        ScrConfig config = new ScrConfig(Map.of())
                .set("SCR_PREFIX", prefix().toString())
                .set("SCR_CACHE_BASE", node(node).toString())
                .set("SCR_CNTL_BASE", node(node).toString())
                .set("SCR_NODE_NAME", "n" + node)
                .set("SCR_USER_NAME", "user1")
                .set("SCR_JOB_ID", "112573");
        parameters.forEach(config::set);
        return config;
    }

    /** A job that ends without saying so, as one that is killed does. */
    public void job(Body body) throws IOException {
        job(RANKS, body);
    }

    /** The same with another number of ranks. */
    void job(int ranks, Body body) throws IOException {
        RankBody<IOException> rank = world -> body.run(ScrDatasets.open(config(world), world, storage), world.rank());
        ThreadCommunicator.run(ranks, rank);
    }

    public static byte[] content(String name, int rank, int file) {
        byte[] bytes = new byte[1000 * rank + 77 * file + 5];
        new Random(31L * name.hashCode() + 7L * rank + file).nextBytes(bytes);
        return bytes;
    }

    public Path file(String name, int rank, int file) {
        // Equal last names on all ranks: SCR itself would mix them up on one node.
        return prefix().resolve(name).resolve("rank_" + rank).resolve("data" + file + ".bin");
    }

    public void write(ScrDatasets datasets, int rank, String name) throws IOException {
        write(datasets, rank, name, true);
    }

    /** Otherwise pure output. */
    public void write(ScrDatasets datasets, int rank, String name, boolean checkpoint) throws IOException {
        datasets.startOutput(name, checkpoint, !checkpoint);
        for (int file = 0; file <= rank % 3; file++) {
            Files.write(datasets.routeFile(file(name, rank, file)), content(name, rank, file));
        }
        assertThat(datasets.completeOutput(true)).isTrue();
    }

    public void read(ScrDatasets datasets, int rank, String name) throws IOException {
        assertThat(datasets.startRestart()).isEqualTo(name);
        for (int file = 0; file <= rank % 3; file++) {
            assertThat(datasets.routeFile(file(name, rank, file))).hasBinaryContent(content(name, rank, file));
        }
        assertThat(datasets.completeRestart(true)).isTrue();
    }

    /** Storage that does something before it opens a file of the prefix directory whose path begins so. */
    public StorageEngine before(String start, Agreement.Step step) {
        return beforeCall("open", prefix().resolve(start), step);
    }

    /** Storage that does something before a call with a path that begins so. */
    static StorageEngine beforeCall(String call, Path start, Agreement.Step step) {
        StorageEngine real = new NioEngine();
        return (StorageEngine) Proxy.newProxyInstance(
                StorageEngine.class.getClassLoader(),
                new Class<?>[] {StorageEngine.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(call) && arguments[0].toString().startsWith(start.toString())) {
                        step.run();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public static void delete(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(path)) {
            for (Path each : paths.sorted(Collections.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    public void deleteCaches() throws IOException {
        for (int node = 0; node < RANKS; node++) {
            delete(node(node));
        }
    }

    /** Returns what was logged by the classes of this package meanwhile. */
    static List<String> logged(Agreement.Step action) throws IOException {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        Logger logger = Logger.getLogger(DatasetJobs.class.getPackageName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            action.run();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }

    public ScrIndex index() throws IOException {
        return new IndexFile(new ScrPrefix(prefix()), new NioEngine()).read();
    }
}
