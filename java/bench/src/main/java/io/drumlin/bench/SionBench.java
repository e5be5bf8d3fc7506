package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.sion.SionFile;
import io.drumlin.sion.SionInput;
import io.drumlin.sion.SionIo;
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
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * SION files: bandwidth of few tasks with much data beside raw writes and beside a file for each task, in turn in one run; or,
 * with {@code --scale}, what opening and closing costs with many tasks, ranks being threads of this process.
 */
@Command(name = "sion", mixinStandardHelpOptions = true, description = "Measures SION files.")
public final class SionBench extends Bench {

    private static final int SMALL = 4096;

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per task (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(names = "--scale", split = ",", description = "numbers of thread ranks instead of bandwidth")
    private List<Integer> scale = List.of();

    private SionBench() {}

    /**
     * Runs the measurement as one rank of the job.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new SionBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        if (scale.isEmpty()) {
            Communicators.run(this::bandwidth);
        } else {
            manyTasks();
        }
        return 0;
    }

    private void bandwidth(Communicator comm) throws IOException {
        StorageEngine storage = StorageEngines.best();
        long bytes = (long) mib * RawTransfer.SLAB;
        ByteBuffer memory = ByteBuffer.allocateDirect(Math.toIntExact(bytes));
        while (memory.hasRemaining()) {
            memory.putLong(31L * memory.position() + comm.rank());
        }
        Path own = Files.createDirectories(home()).resolve("own-" + comm.rank());
        Path shared = home().resolve("shared.sion");
        SionOptions direct = SionOptions.defaults().storage(storage);
        SionOptions buffered = direct.buffered();
        SionOptions mpiIo = direct.io(SionIo.MPI_IO);
        try (RawTransfer raw = new RawTransfer(storage)) {
            for (int run = FIRST_RUN; run < runs(); run++) {
                keepRate(comm, run, "write own", bytes, () -> writeOwn(own, memory));
                Files.delete(own);
                // What was written past the page cache is not in it: all reads are from the device.
                keepRate(comm, run, "write raw", bytes, () -> raw.write(own, bytes));
                keepRate(comm, run, "read raw", bytes, () -> raw.read(own, bytes));
                keepRate(comm, run, "read own", bytes, () -> readOwn(own, memory));
                Files.delete(own);
                keepRate(comm, run, "write buffered", bytes, () -> write(comm, shared, buffered, memory));
                // Every write makes a new file: to cut an old one takes time too.
                delete(comm, shared);
                keepRate(comm, run, "write direct", bytes, () -> write(comm, shared, direct, memory));
                keepRate(comm, run, "read direct", bytes, () -> read(comm, shared, direct, memory));
                keepRate(comm, run, "read buffered", bytes, () -> read(comm, shared, buffered, memory));
                delete(comm, shared);
                keepRate(comm, run, "write MPI-IO", bytes, () -> write(comm, shared, mpiIo, memory));
                delete(comm, shared);
                write(comm, shared, direct, memory);
                keepRate(comm, run, "read MPI-IO", bytes, () -> read(comm, shared, mpiIo, memory));
                delete(comm, shared);
            }
        }
        if (comm.rank() == 0) {
            String name = String.format(Locale.ROOT, "SION, %d x %d MiB, %s, ", comm.size(), mib, storage.name());
            report(List.of(
                    row(name, "write direct", "write raw").goal(0.9),
                    row(name, "read direct", "read raw").goal(0.9),
                    row(name, "write buffered", "write own").goal(0.7),
                    row(name, "read buffered", "read own"),
                    row(name, "write MPI-IO", "write own"),
                    row(name, "read MPI-IO", "read own")));
        }
    }

    private static void delete(Communicator comm, Path path) throws IOException {
        comm.barrier();
        if (comm.rank() == 0) {
            Files.delete(path);
        }
        comm.barrier();
    }

    private void keepRate(Communicator comm, int run, String name, long bytes, Cost.Work work) throws IOException {
        keep(run, name, comm.size() * bytes / GB / Cost.of(comm, work).seconds());
    }

    private Row row(String name, String figure, String limit) {
        return Row.rate(name + figure, "GB/s", figures(figure)).limit(figures(limit));
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

    /**
     * Each number of tasks in turn in every run. What a task costs among many is held to what it costs among a quarter of them: it
     * may be 1.3 times as much.
     */
    private void manyTasks() throws IOException {
        Path path = Files.createDirectories(home()).resolve("many.sion");
        for (int run = FIRST_RUN; run < runs(); run++) {
            int round = run;
            for (int ranks : scale) {
                long before = memory();
                ThreadCommunicator.run(ranks, comm -> manyTasks(comm, path, round, before));
            }
        }
        Files.delete(path);
        for (int ranks : scale) {
            String name = "SION, " + ranks + " tasks (threads), 4 KiB each, ";
            Row cpu = Row.cost(name + "open+close, CPU", "us/task", figures(ranks + " cpu"));
            if (scale.contains(ranks / 4)) {
                cpu = cpu.limit(figures(ranks / 4 + " cpu")).goal(1 / 1.3);
            }
            report(List.of(
                    cpu,
                    Row.cost(name + "open+close", "us/task", figures(ranks + " open and close")),
                    Row.cost(name + "open to read", "us/task", figures(ranks + " open to read")),
                    Row.cost(name + "memory while open", "KiB/task", figures(ranks + " memory"))));
        }
    }

    private void manyTasks(Communicator comm, Path path, int run, long before) throws IOException {
        ByteBuffer data = ByteBuffer.allocate(SMALL);
        SionOutput[] output = new SionOutput[1];
        SionInput[] input = new SionInput[1];
        ThreadMeter meter = ThreadMeter.ofCpu();
        Communicator tasks = meter.over(comm);
        long[] cpu = new long[1];
        double open = perTask(
                comm,
                () -> cpu[0] +=
                        meter.of(() -> output[0] = SionFile.create(path, tasks, SMALL, SionOptions.defaults())));
        output[0].writer().write(data);
        comm.barrier();
        double memory = comm.rank() == 0 ? (memory() - before) / 1024.0 / comm.size() : 0;
        comm.barrier();
        double close = perTask(comm, () -> cpu[0] += meter.of(() -> output[0].close()));
        double reopen = perTask(comm, () -> input[0] = SionFile.open(path, comm, SionOptions.defaults()));
        input[0].close();
        comm.allreduce(cpu, Communicator.Op.SUM);
        if (comm.rank() == 0) {
            keep(run, comm.size() + " cpu", cpu[0] / 1e3 / comm.size());
            keep(run, comm.size() + " open and close", open + close);
            keep(run, comm.size() + " memory", memory);
            keep(run, comm.size() + " open to read", reopen);
        }
    }

    /** Microseconds. */
    private static double perTask(Communicator comm, Cost.Work work) throws IOException {
        return Cost.seconds(comm, work) * 1e6 / comm.size();
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
