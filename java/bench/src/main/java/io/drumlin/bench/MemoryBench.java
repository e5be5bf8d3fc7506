package io.drumlin.bench;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what is limited by memory: checkpoints to a file system in memory, and how long an asynchronous checkpoint stops the
 * application.
 */
@Command(name = "memory", mixinStandardHelpOptions = true, description = "Measures what memory is the limit of.")
public final class MemoryBench extends Bench {

    private static final int SLAB = RawTransfer.SLAB;

    private static final int ROWS = 64;

    /** Elements of a short row. */
    private static final int FEW = 16;

    /** More than any cache holds. */
    private static final int SAMPLE_SLABS = 256;

    /** The data, the checkpoint and the one it replaces, the copy of an asynchronous one, and some room. */
    private static final double BYTES_PER_BYTE = 4;

    @Option(names = "--mib", defaultValue = "1024", description = "MiB per rank, at most (default: ${DEFAULT-VALUE})")
    private int mib;

    @Option(
            names = "--tmpfs",
            defaultValue = "/dev/shm",
            description = "a folder in memory (default: ${DEFAULT-VALUE})")
    private Path tmpfs = Path.of("/dev/shm");

    private MemoryBench() {}

    /**
     * Runs the measurement as one rank of the job.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new MemoryBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        Communicators.run(this::measure);
        return 0;
    }

    private void measure(Communicator comm) throws IOException {
        int size = fittingMib(comm);
        if (size < mib && comm.rank() == 0) {
            System.err.printf(Locale.ROOT, "bench: %d MiB per rank instead of %d fit into memory%n", size, mib);
        }
        List<double[]> arrays = RunFolder.arrays(size, 1, comm.rank());
        try (RawTransfer slabs = new RawTransfer(StorageEngines.best())) {
            String name = String.format(Locale.ROOT, ", %d x %d MiB, ", comm.size(), size);
            stall(comm, name, arrays.get(0));
            inMemory(comm, name, arrays.get(0), slabs);
            double[] array = arrays.get(0);
            matrix(comm, "double[" + ROWS + "][n], ", array, array.length / 2, array.length / 2 / ROWS, 0.83);
            // Less, because rows so short take more memory than their elements.
            matrix(comm, "double[n][" + FEW + "], ", array, array.length / 4, FEW, null);
        }
    }

    /** A power of 2, the same on all ranks, from which half of the free memory stays free. */
    private int fittingMib(Communicator comm) throws IOException {
        long free = availableMib();
        long tmpfsFree = Files.getFileStore(tmpfs).getUsableSpace() >> 20;
        int size = mib;
        while (size > 1 && size * BYTES_PER_BYTE * comm.size() > Math.min(free, 2 * tmpfsFree)) {
            size /= 2;
        }
        long[] least = {size};
        comm.allreduce(least, Communicator.Op.MIN);
        return (int) least[0];
    }

    private static long availableMib() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith("MemAvailable:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .findFirst()
                            .orElseThrow()
                    >> 10;
        }
    }

    /** Measures how long the call of an asynchronous checkpoint takes, compared with copying the data in memory. */
    private void stall(Communicator comm, String name, double[] array) throws IOException {
        RunFolder folder = RunFolder.create(comm, home(), 3);
        ByteBuffer copy = ByteBuffer.allocateDirect(Math.min(SAMPLE_SLABS * SLAB, array.length * Double.BYTES));
        try (Checkpoints checkpoints = Checkpoints.builder(folder.config())
                .communicator(comm)
                .asynchronous()
                .open()) {
            checkpoints.protect(0, array);
            for (int run = FIRST_RUN; run < runs(); run++) {
                int ckptId = run - FIRST_RUN + 1;
                Cost memcpy = Cost.of(comm, () -> copy(array, copy));
                Cost call = Cost.of(comm, () -> checkpoints.checkpoint(ckptId, Level.L1));
                checkpoints.await();
                keep(run, "memcpy of all", memcpy.seconds());
                keep(run, "stall", call.seconds());
            }
        }
        folder.delete(comm);
        if (comm.rank() == 0) {
            report(List.of(Row.cost("Asynchronous L1" + name + "stall; limit: memcpy", "s", figures("stall"))
                    .limit(figures("memcpy of all"))
                    .goal(0.66)));
        }
    }

    /** Copies an array, piece after piece over the same memory if it is long. */
    private static void copy(double[] array, ByteBuffer target) {
        int step = target.capacity() / Double.BYTES;
        for (int from = 0; from < array.length; from += step) {
            target.clear().asDoubleBuffer().put(array, from, Math.min(step, array.length - from));
        }
    }

    /**
     * Bytes per second of a core that copies, hashes and writes to memory one after the other: what a checkpoint does at least. The
     * cores of a checkpoint are its ranks, for as long as it lasts, or the CPU time of its threads if that is more.
     */
    private void inMemory(Communicator comm, String name, double[] array, RawTransfer slabs) throws IOException {
        double bytes = (double) array.length * Double.BYTES;
        RunFolder folder = RunFolder.create(comm, tmpfs.resolve("drumlin-bench"), 3);
        try (Checkpoints checkpoints = Checkpoints.open(folder.config(), comm)) {
            checkpoints.protect(0, array);
            for (int run = FIRST_RUN; run < runs(); run++) {
                int ckptId = run - FIRST_RUN + 1;
                double limit = 1 / secondsPerByte(comm, array, slabs, folder.ownFile(comm));
                Cost cost = Cost.of(comm, () -> checkpoints.checkpoint(ckptId, Level.L1));
                folder.awaitDeletion();
                double coreSeconds = Math.max(comm.size() * cost.seconds(), cost.cpuSeconds());
                keep(run, "in memory limit", limit / GB);
                keep(run, "in memory", comm.size() * bytes / GB / coreSeconds);
            }
        }
        folder.delete(comm);
        if (comm.rank() == 0) {
            String row = "L1 to tmpfs" + name + "per core; limit: copy, MD5, write";
            report(List.of(Row.rate(row, "GB/s", figures("in memory"))
                    .limit(figures("in memory limit"))
                    .goal(0.85)));
        }
    }

    /** Measures the cost of rows: the first elements of the array, and as many in a matrix. */
    private void matrix(
            Communicator comm, String name, double[] array, int elements, int columns, @Nullable Double goal)
            throws IOException {
        double gigabytes = comm.size() * (double) elements * Double.BYTES / GB;
        double[][] rows = new double[elements / columns][];
        Arrays.setAll(rows, i -> Arrays.copyOfRange(array, i * columns, (i + 1) * columns));
        forgetFigures();
        RunFolder folder = RunFolder.create(comm, tmpfs.resolve("drumlin-bench"), 3);
        try (Checkpoints checkpoints = Checkpoints.open(folder.config(), comm)) {
            for (int run = FIRST_RUN; run < runs(); run++) {
                int ckptId = 2 * (run - FIRST_RUN) + 1;
                checkpoints.protect(0, array, elements);
                Cost flat = Cost.of(comm, () -> checkpoints.checkpoint(ckptId, Level.L1));
                folder.awaitDeletion();
                checkpoints.protect(0, rows);
                Cost nested = Cost.of(comm, () -> checkpoints.checkpoint(ckptId + 1, Level.L1));
                folder.awaitDeletion();
                keep(run, "one array", gigabytes / flat.seconds());
                keep(run, "rows", gigabytes / nested.seconds());
            }
        }
        folder.delete(comm);
        if (comm.rank() == 0) {
            long mebibytes = ((long) elements * Double.BYTES) >> 20;
            String row = String.format(
                    Locale.ROOT, "L1 to tmpfs, %s%d x %d MiB; limit: one double[]", name, comm.size(), mebibytes);
            report(List.of(Row.rate(row, "GB/s", figures("rows"))
                    .limit(figures("one array"))
                    .goal(goal)));
        }
    }

    /** The sum of the three steps, each measured with all ranks at work. */
    private static double secondsPerByte(Communicator comm, double[] array, RawTransfer slabs, Path path)
            throws IOException {
        int count = Math.min(SAMPLE_SLABS, array.length / (SLAB / Double.BYTES));
        Cost memcpy = Cost.of(comm, () -> {
            for (int i = 0; i < count; i++) {
                slabs.slab(i).asDoubleBuffer().put(array, i * (SLAB / Double.BYTES), SLAB / Double.BYTES);
            }
        });
        Cost md5 = Cost.of(comm, () -> hash(slabs, count));
        Cost write = Cost.of(comm, () -> write(slabs, count, path));
        Files.delete(path);
        return (memcpy.seconds() + md5.seconds() + write.seconds()) / ((double) count * SLAB);
    }

    private static void hash(RawTransfer slabs, int count) {
        try (Md5Lanes lanes = DigestEngine.md5()) {
            for (int lane = 0; lane < Md5Lanes.LANES; lane++) {
                lanes.reset(lane);
            }
            for (int i = 0; i < count; i += Md5Lanes.LANES) {
                List<ByteBuffer> pieces = new ArrayList<>();
                for (int k = i; k < Math.min(count, i + Md5Lanes.LANES); k++) {
                    pieces.add(slabs.slab(k));
                }
                lanes.update(pieces);
            }
        }
    }

    private static void write(RawTransfer slabs, int count, Path path) throws IOException {
        StorageEngine storage = StorageEngines.best();
        EnumSet<OpenMode> modes = EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, OpenMode.TRUNCATE);
        try (BlockFile file = storage.open(path, modes)) {
            for (int i = 0; i < count; i++) {
                file.write(slabs.slab(i), (long) i * SLAB);
            }
        }
    }
}
