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
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Checkpoints of all levels, and recoveries from them, against raw direct writes and reads of as many bytes by as many
 * processes through the same device, in turn in one run. Writes are durable: they end with a sync. What is measured depends
 * on the number of ranks, see {@link #cases}.
 */
@Command(name = "checkpoint", mixinStandardHelpOptions = true, description = "Measures checkpoints and recoveries.")
public final class CheckpointBench implements Callable<Integer> {

    private static final int SLAB = 1 << 20;
    private static final int IN_FLIGHT = 32;
    private static final int READERS = 4;
    private static final int MANY = 20;

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per rank (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(names = "--runs", defaultValue = "5", description = "counted runs (default: ${DEFAULT-VALUE})")
    private int runs;

    @Option(names = "--dir", defaultValue = ".", description = "an existing directory on the device to measure")
    private Path directory = Path.of(".");

    @Option(names = "--only", defaultValue = "", description = "measures the cases that have this in their names")
    private String only = "";

    @Option(names = "--json", description = "adds the rows to the list in this file")
    private @Nullable Path json;

    /**
     * A way to checkpoint.
     *
     * @param mode what {@code ckpt_io} says
     * @param copies how many bytes are written for each byte of data: redundancy doubles them
     * @param loss whether the recovery is that of a lost node
     */
    private record Case(String name, Level level, int mode, int arrays, int copies, boolean loss) {}

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

    private static List<Case> cases(int ranks) {
        Case single = new Case("L1, one array", Level.L1, 3, 1, 1, false);
        return switch (ranks) {
            case 1 -> List.of(single);
            case 2 ->
                List.of(
                        single,
                        new Case("L1, " + MANY + " arrays", Level.L1, 3, MANY, 1, false),
                        new Case("L2", Level.L2, 3, 1, 2, true),
                        new Case("L4, FTI-FF", Level.L4, 3, 1, 1, false),
                        new Case("L4, MPI-IO", Level.L4, 2, 1, 1, false));
            default -> List.of(new Case("L3, group of " + ranks, Level.L3, 3, 1, 2, true));
        };
    }

    private void measure(Communicator comm) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Case kind : cases(comm.size())) {
            if (!kind.name.contains(only)) {
                continue;
            }
            List<Row> measured = measure(comm, kind);
            rows.addAll(measured);
            if (comm.rank() == 0) {
                measured.forEach(row -> System.out.println(row.line()));
            }
        }
        if (comm.rank() == 0 && json != null) {
            Row.append(json, rows);
        }
    }

    private List<Row> measure(Communicator comm, Case kind) throws IOException {
        Path home = directory.resolve("drumlin-bench");
        if (comm.rank() == 0) {
            delete(home);
            writeConfig(home, comm.size(), kind.mode);
        }
        comm.barrier();
        StorageEngine storage = StorageEngines.best();
        List<double[]> arrays = arrays(kind.arrays);
        arrays.forEach(array -> fill(array, comm.rank()));
        String name = String.format(Locale.ROOT, "%s, %d x %d MiB, %s", kind.name, comm.size(), mib, storage.name());
        List<Row> rows = new ArrayList<>();
        try (Slabs slabs = new Slabs(storage)) {
            rows.addAll(writing(comm, kind, name, home, arrays, slabs));
            rows.addAll(recovery(comm, kind, name, home, arrays, slabs));
        }
        if (comm.rank() == 0) {
            delete(home);
        }
        return rows;
    }

    /** As many bytes in all whatever the number of arrays, the last array as many times the first as there are arrays. */
    private List<double[]> arrays(int count) {
        long elements = mib * (long) (SLAB / Double.BYTES);
        long parts = count * (count + 1L) / 2;
        List<double[]> arrays = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            arrays.add(new double[(int) (elements * i / parts)]);
        }
        long rest = elements - arrays.stream().mapToLong(a -> a.length).sum();
        arrays.add(new double[(int) rest]);
        return arrays;
    }

    private List<Row> writing(Communicator comm, Case kind, String name, Path home, List<double[]> arrays, Slabs slabs)
            throws IOException {
        double gib = comm.size() * (double) mib / 1024;
        List<Double> raw = new ArrayList<>();
        List<Double> checkpoint = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        try (Checkpoints checkpoints = open(comm, home, arrays)) {
            for (int run = 0; run <= runs; run++) {
                int ckptId = run + 1;
                Path file = home.resolve("raw-" + comm.rank());
                Cost rawCost = time(comm, () -> slabs.write(file, (long) mib * SLAB));
                Files.delete(file);
                Cost cost = time(comm, () -> checkpoints.checkpoint(ckptId, kind.level));
                Cost deletion = time(comm, () -> awaitDeletion(home));
                // The first round warms up.
                if (run > 0) {
                    raw.add(gib / rawCost.seconds);
                    checkpoint.add(kind.copies * gib / cost.seconds);
                    cpu.add((cost.cpuSeconds + deletion.cpuSeconds) / gib);
                }
            }
        }
        return List.of(new Row(name, checkpoint, "GiB/s", raw), new Row(name + ", CPU", cpu, "s/GiB", List.of()));
    }

    /**
     * Restarts from the last checkpoint. After the loss of a node what counts is the restart, which makes the node's files
     * again, as bytes made; else it is the restart and the recovery of the data, as bytes recovered.
     */
    private List<Row> recovery(Communicator comm, Case kind, String name, Path home, List<double[]> arrays, Slabs slabs)
            throws IOException {
        double gib = (kind.loss ? kind.copies : comm.size()) * (double) mib / 1024;
        Path file = home.resolve("raw-" + comm.rank());
        slabs.write(file, (long) mib * SLAB);
        List<Double> raw = new ArrayList<>();
        List<Double> recovered = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        for (int run = 0; run <= runs; run++) {
            if (kind.loss && comm.rank() == 0) {
                delete(home.resolve("Local/node1"));
            }
            Cost rawCost = time(comm, () -> slabs.read(file, (long) mib * SLAB));
            if (comm.rank() == 0) {
                dropFromPageCache(home);
            }
            Checkpoints[] opened = new Checkpoints[1];
            Cost cost = time(comm, () -> {
                opened[0] = open(comm, home, arrays);
                if (!kind.loss) {
                    opened[0].recover();
                }
            });
            opened[0].close();
            if (run > 0) {
                raw.add(comm.size() * (double) mib / 1024 / rawCost.seconds);
                recovered.add(gib / cost.seconds);
                cpu.add(cost.cpuSeconds / gib);
            }
        }
        String row = name + (kind.loss ? ", lost node" : ", recovery");
        return List.of(new Row(row, recovered, "GiB/s", raw), new Row(row + ", CPU", cpu, "s/GiB", List.of()));
    }

    private static Checkpoints open(Communicator comm, Path home, List<double[]> arrays) throws IOException {
        Checkpoints checkpoints = Checkpoints.open(home.resolve("config.fti"), comm);
        for (int id = 0; id < arrays.size(); id++) {
            checkpoints.protect(id, arrays.get(id));
        }
        return checkpoints;
    }

    /** Until nothing of the checkpoint that was replaced is left: it is deleted behind the computation. */
    private static void awaitDeletion(Path home) throws IOException {
        try {
            while (holdsReplaced(home)) {
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }

    private static boolean holdsReplaced(Path home) throws IOException {
        try (Stream<Path> found = Files.walk(home, 4)) {
            return found.anyMatch(path -> path.getFileName().toString().startsWith("drumlin-replaced-"));
        } catch (UncheckedIOException | NoSuchFileException e) {
            return true;
        }
    }

    /** All reads are to be from the device, as the raw ones are. */
    private static void dropFromPageCache(Path path) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(path)) {
            files = found.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Process process = new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
                    .inheritIO()
                    .start();
            try {
                if (process.waitFor() != 0) {
                    throw new IOException("dd could not drop " + file + " from the page cache");
                }
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        }
    }

    private static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
                for (Path child : children) {
                    delete(child);
                }
            }
        }
        Files.deleteIfExists(path);
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

    /** The memory of the raw writes and reads, filled once: what is written does not matter. */
    static final class Slabs implements AutoCloseable {
        private final StorageEngine storage;
        private final List<AlignedBuffer> slabs = new ArrayList<>();

        Slabs(StorageEngine storage) {
            this.storage = storage;
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

        /** Writes as fast as the device takes it, and makes it durable. */
        void write(Path path, long bytes) throws IOException {
            EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE, OpenMode.DIRECT);
            try (BlockFile file = storage.open(path, modes)) {
                file.allocate(bytes);
                Deque<PendingWrite> inFlight = new ArrayDeque<>();
                int slab = 0;
                for (long offset = 0; offset < bytes; offset += SLAB) {
                    if (inFlight.size() == IN_FLIGHT) {
                        inFlight.remove().await();
                    }
                    inFlight.add(file.startWrite(slabs.get(slab++ % IN_FLIGHT).buffer(), offset));
                }
                while (!inFlight.isEmpty()) {
                    inFlight.remove().await();
                }
                file.sync();
            }
        }

        /** Reads as fast as the device gives it. */
        void read(Path path, long bytes) throws IOException {
            try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT))) {
                AtomicLong next = new AtomicLong();
                List<FutureTask<Void>> readers = new ArrayList<>();
                for (int i = 0; i < READERS; i++) {
                    ByteBuffer memory = slabs.get(i).buffer();
                    FutureTask<Void> reader = new FutureTask<>(() -> {
                        for (long at = next.getAndAdd(SLAB); at < bytes; at = next.getAndAdd(SLAB)) {
                            file.read(memory, at);
                        }
                        return null;
                    });
                    readers.add(reader);
                    new Thread(reader, "raw-reader").start();
                }
                for (FutureTask<Void> reader : readers) {
                    reader.get();
                }
            } catch (InterruptedException | ExecutionException e) {
                throw new IOException("raw read of " + path + " failed", e);
            }
        }
    }

    private static void writeConfig(Path home, int ranks, int mode) throws IOException {
        for (String root : List.of("Local", "Global", "Meta")) {
            Files.createDirectories(home.resolve(root));
        }
        Files.writeString(
                home.resolve("config.fti"),
                """
                [basic]
                node_size = 1
                group_size = %d
                ckpt_dir = %s/Local
                glbl_dir = %s/Global
                meta_dir = %s/Meta
                ckpt_io = %d
                verbosity = 3
                [restart]
                failure = 0
                [advanced]
                block_size = 1024
                local_test = 1
                """
                        .formatted(ranks, home, home, home, mode));
    }
}
