package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionOptions;
import io.drumlin.sion.SionOutput;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * SION files: bandwidth of few tasks with much data beside raw writes and beside a file for each task, in turn in one run; or,
 * with {@code --scale}, what opening and closing costs with many tasks, ranks being threads of this process.
 */
@Command(name = "sion", mixinStandardHelpOptions = true, description = "Measures SION files.")
public final class SionBench implements Callable<Integer> {

    private static final int SLAB = 1 << 20;
    private static final int SMALL = 4096;
    private static final double GIB = 1L << 30;
    private static final double MICRO = 1e6;

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per task (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(names = "--runs", defaultValue = "5", description = "counted runs (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--dir", defaultValue = ".", description = "an existing directory on the device to measure")
    private Path directory = Path.of(".");

    @Option(names = "--json", description = "adds the rows to the list in this file")
    private @Nullable Path json;

    @Option(names = "--scale", split = ",", description = "numbers of thread ranks instead of bandwidth")
    private List<Integer> scale = List.of();

    private final Map<String, List<Double>> figures = Collections.synchronizedMap(new LinkedHashMap<>());

    private SionBench() {}

    /**
     * Runs the measurement as one rank of the job.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new SionBench()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        if (scale.isEmpty()) {
            Communicators.run(this::bandwidth);
        } else {
            for (int ranks : scale) {
                manyTasks(ranks);
            }
        }
        return 0;
    }

    /** Nanoseconds of the slowest rank. */
    private static double seconds(Communicator comm, Work work) throws IOException {
        comm.barrier();
        long begin = System.nanoTime();
        work.run();
        long[] wall = {System.nanoTime() - begin};
        comm.allreduce(wall, Op.MAX);
        return wall[0] / 1e9;
    }

    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private void keep(Communicator comm, int run, String name, double value) {
        // The first round warms up.
        if (comm.rank() == 0 && run > 0) {
            figures.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
        }
    }

    private List<Double> figures(String name) {
        return figures.getOrDefault(name, List.of());
    }

    private void bandwidth(Communicator comm) throws IOException {
        StorageEngine storage = StorageEngines.best();
        long bytes = (long) mib * SLAB;
        double gib = comm.size() * bytes / GIB;
        ByteBuffer memory = ByteBuffer.allocateDirect(Math.toIntExact(bytes));
        while (memory.hasRemaining()) {
            memory.putLong(31L * memory.position() + comm.rank());
        }
        Path home = directory.resolve("drumlin-bench");
        Files.createDirectories(home);
        Path own = home.resolve("own-" + comm.rank());
        Path shared = home.resolve("shared.sion");
        comm.barrier();
        try (CheckpointBench.Slabs slabs = new CheckpointBench.Slabs(storage)) {
            for (int run = 0; run <= runs; run++) {
                keep(comm, run, "write own", gib / seconds(comm, () -> writeOwn(own, memory)));
                Files.delete(own);
                // What was written past the page cache is not in it: all reads are from the device.
                keep(comm, run, "write raw", gib / seconds(comm, () -> slabs.write(own, bytes)));
                keep(comm, run, "read raw", gib / seconds(comm, () -> slabs.read(own, bytes)));
                keep(comm, run, "read own", gib / seconds(comm, () -> readOwn(own, memory)));
                Files.delete(own);
                SionOptions direct = SionOptions.defaults().storage(storage);
                SionOptions buffered = direct.buffered();
                keep(comm, run, "write buffered", gib / seconds(comm, () -> write(comm, shared, buffered, memory)));
                keep(comm, run, "write direct", gib / seconds(comm, () -> write(comm, shared, direct, memory)));
                keep(comm, run, "read direct", gib / seconds(comm, () -> read(comm, shared, direct, memory)));
                keep(comm, run, "read buffered", gib / seconds(comm, () -> read(comm, shared, buffered, memory)));
                comm.barrier();
                if (comm.rank() == 0) {
                    Files.delete(shared);
                }
            }
        }
        if (comm.rank() == 0) {
            String name = String.format(Locale.ROOT, "SION, %d x %d MiB, %s", comm.size(), mib, storage.name());
            List<Row> rows = new ArrayList<>();
            for (String work : List.of("write ", "read ")) {
                for (String kind : List.of("direct", "buffered")) {
                    List<Double> values = figures(work + kind);
                    String row = name + ", " + work + kind;
                    rows.add(new Row(row + " : raw", values, "GiB/s", figures(work + "raw")));
                    rows.add(new Row(row + " : file per task", values, "GiB/s", figures(work + "own")));
                }
            }
            show(rows);
        }
    }

    private void show(List<Row> rows) throws IOException {
        rows.forEach(row -> System.out.println(row.line()));
        if (json != null) {
            Row.append(json, rows);
        }
    }

    private static void write(Communicator comm, Path path, SionOptions options, ByteBuffer memory) throws IOException {
        try (SionOutput output = SionFile.create(path, comm, memory.capacity(), options)) {
            output.writer().write(memory.clear());
        }
    }

    private static void read(Communicator comm, Path path, SionOptions options, ByteBuffer memory) throws IOException {
        try (SionInput input = SionFile.open(path, comm, options)) {
            input.reader().read(memory.clear());
        }
    }

    /** A file of its own, written by the means of the JDK. */
    private static void writeOwn(Path path, ByteBuffer memory) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            memory.clear();
            while (memory.hasRemaining()) {
                file.write(memory);
            }
            file.force(true);
        }
    }

    private static void readOwn(Path path, ByteBuffer memory) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            memory.clear();
            while (memory.hasRemaining() && file.read(memory) >= 0) {
                // Until it is full.
            }
        }
    }

    private void manyTasks(int ranks) throws IOException {
        Path home = directory.resolve("drumlin-bench");
        Files.createDirectories(home);
        Path path = home.resolve("many.sion");
        figures.clear();
        for (int run = 0; run <= runs; run++) {
            int round = run;
            long before = memory();
            ThreadCommunicator.run(ranks, comm -> manyTasks(comm, path, round, before));
        }
        String name = "SION, " + ranks + " thread ranks, 4 KiB each";
        List<Row> rows = new ArrayList<>();
        for (String figure : List.of("open", "write", "close")) {
            rows.add(new Row(name + ", " + figure, figures(figure), "us/rank", List.of()));
        }
        rows.add(new Row(name + ", open to read", figures("open to read"), "us/rank", List.of()));
        rows.add(new Row(name + ", memory while open", figures("memory"), "KiB/rank", List.of()));
        show(rows);
    }

    private void manyTasks(Communicator comm, Path path, int run, long before) throws IOException {
        ByteBuffer data = ByteBuffer.allocate(SMALL);
        SionOutput[] output = new SionOutput[1];
        double perRank = MICRO / comm.size();
        keep(
                comm,
                run,
                "open",
                perRank * seconds(comm, () -> output[0] = SionFile.create(path, comm, SMALL, SionOptions.defaults())));
        keep(
                comm,
                run,
                "write",
                perRank * seconds(comm, () -> output[0].writer().write(data)));
        comm.barrier();
        if (comm.rank() == 0) {
            keep(comm, run, "memory", (memory() - before) / 1024.0 / comm.size());
        }
        comm.barrier();
        keep(comm, run, "close", perRank * seconds(comm, () -> output[0].close()));
        SionInput[] input = new SionInput[1];
        keep(
                comm,
                run,
                "open to read",
                perRank * seconds(comm, () -> input[0] = SionFile.open(path, comm, SionOptions.defaults())));
        input[0].close();
    }

    /** Bytes of the heap that are reachable and of direct buffers. */
    private static long memory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return runtime.totalMemory() - runtime.freeMemory() + direct;
    }
}
