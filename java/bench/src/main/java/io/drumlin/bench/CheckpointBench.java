package io.drumlin.bench;

import com.sun.management.OperatingSystemMXBean;
import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Level-1 checkpoints against raw direct writes of as many bytes by as many processes through the same device, in turn in one
 * run. Both are durable: they end with a sync.
 */
@Command(name = "checkpoint", mixinStandardHelpOptions = true, description = "Measures level-1 checkpoints.")
public final class CheckpointBench implements Callable<Integer> {

    private static final int SLAB = 1 << 20;
    private static final int IN_FLIGHT = 32;
    private static final double GIB = 1L << 30;

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per rank (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(names = "--runs", defaultValue = "5", description = "counted runs (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--dir", defaultValue = ".", description = "an existing directory on the device to measure")
    private Path directory = Path.of(".");

    @Option(names = "--json", description = "adds the rows to the list in this file")
    private @Nullable Path json;

    /** What one round took on the slowest rank, and of all processors together. */
    private record Cost(double seconds, double cpuSeconds) {}

    /** One thing that is timed. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private CheckpointBench() {}

    /**
     * Runs the measurement as one rank of the job.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new CheckpointBench()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Communicators.run(this::measure);
        return 0;
    }

    private void measure(Communicator comm) throws IOException {
        double[] array = new double[mib * (SLAB / Double.BYTES)];
        fill(array, comm.rank());
        List<Row> rows = new ArrayList<>(measure(comm, List.of(array)));
        if (comm.rank() == 0 && json != null) {
            Row.append(json, rows);
        }
    }

    private List<Row> measure(Communicator comm, List<double[]> arrays) throws IOException {
        long bytes =
                arrays.stream().mapToLong(a -> (long) a.length * Double.BYTES).sum();
        Path home = directory.resolve("drumlin-bench");
        StorageEngine storage = StorageEngines.best();
        if (comm.rank() == 0) {
            Files.createDirectories(home);
            writeConfig(home, comm.size());
        }
        comm.barrier();
        List<Double> raw = new ArrayList<>();
        List<Double> checkpoint = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        try (Checkpoints checkpoints = Checkpoints.open(home.resolve("config.fti"), comm);
                Slabs slabs = new Slabs(storage)) {
            for (int id = 0; id < arrays.size(); id++) {
                checkpoints.protect(id, arrays.get(id));
            }
            for (int run = 0; run <= runs; run++) {
                int ckptId = run + 1;
                Path file = home.resolve("raw-" + comm.rank());
                Cost rawCost = time(comm, () -> writeRaw(storage, slabs, file, bytes));
                Files.delete(file);
                Cost cost = time(comm, () -> checkpoints.checkpoint(ckptId, Level.L1));
                // The first round warms up.
                if (run > 0) {
                    double gib = comm.size() * bytes / GIB;
                    raw.add(gib / rawCost.seconds);
                    checkpoint.add(gib / cost.seconds);
                    cpu.add(cost.cpuSeconds / gib);
                }
            }
            checkpoints.complete();
        }
        String name = String.format(Locale.ROOT, "L1, %d x %d MiB, one array, %s", comm.size(), mib, storage.name());
        List<Row> rows =
                List.of(new Row(name, checkpoint, "GiB/s", raw), new Row(name + ", CPU", cpu, "s/GiB", List.of()));
        if (comm.rank() == 0) {
            rows.forEach(row -> System.out.println(row.line()));
        }
        return rows;
    }

    private static void fill(double[] array, int rank) {
        SplittableRandom random = new SplittableRandom(rank);
        for (int i = 0; i < array.length; i++) {
            array[i] = random.nextDouble();
        }
    }

    private static Cost time(Communicator comm, Work work) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        comm.barrier();
        long cpuBegin = system.getProcessCpuTime();
        long begin = System.nanoTime();
        work.run();
        long[] wall = {System.nanoTime() - begin};
        long[] cpu = {system.getProcessCpuTime() - cpuBegin};
        comm.allreduce(wall, Communicator.Op.MAX);
        comm.allreduce(cpu, Communicator.Op.SUM);
        return new Cost(wall[0] / 1e9, cpu[0] / 1e9);
    }

    /** The memory of the raw writes, filled once: what is written does not matter. */
    static final class Slabs implements AutoCloseable {
        private final List<AlignedBuffer> slabs = new ArrayList<>();

        Slabs(StorageEngine storage) {
            for (int i = 0; i < IN_FLIGHT; i++) {
                AlignedBuffer slab = storage.allocate(SLAB);
                while (slab.buffer().hasRemaining()) {
                    slab.buffer().putLong(31L * slab.buffer().position() + i);
                }
                slab.buffer().clear();
                slabs.add(slab);
            }
        }

        @Override
        public void close() {
            slabs.forEach(AlignedBuffer::close);
        }
    }

    /** Writes as fast as the device takes it, and makes it durable. */
    static void writeRaw(StorageEngine storage, Slabs slabs, Path path, long bytes) throws IOException {
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT);
        try (BlockFile file = storage.open(path, modes)) {
            file.allocate(bytes);
            Deque<PendingWrite> inFlight = new ArrayDeque<>();
            int slab = 0;
            for (long offset = 0; offset < bytes; offset += SLAB) {
                if (inFlight.size() == IN_FLIGHT) {
                    inFlight.remove().await();
                }
                inFlight.add(file.startWrite(slabs.slabs.get(slab++ % IN_FLIGHT).buffer(), offset));
            }
            while (!inFlight.isEmpty()) {
                inFlight.remove().await();
            }
            file.sync();
        }
    }

    private static void writeConfig(Path home, int ranks) throws IOException {
        for (String root : List.of("Local", "Global", "Meta")) {
            Files.createDirectories(home.resolve(root));
        }
        Files.writeString(
                home.resolve("config.fti"),
                """
                [basic]
                node_size = %d
                ckpt_dir = %s/Local
                glbl_dir = %s/Global
                meta_dir = %s/Meta
                ckpt_io = 3
                verbosity = 3
                [restart]
                failure = 0
                [advanced]
                block_size = 1024
                local_test = 1
                """
                        .formatted(ranks, home, home, home));
    }
}
