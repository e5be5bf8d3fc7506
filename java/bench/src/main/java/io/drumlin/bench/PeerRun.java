package io.drumlin.bench;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * One job of Drumlin that is measured beside one of C FTI: {@code native/bench/fti_peer.c} is the same program in C, with the
 * same arguments, data and output. A job either takes checkpoints or restarts, as a program does, in processes of its own.
 */
@Command(name = "peer-run", description = "Takes checkpoints, or restarts, and prints what each call took.")
public final class PeerRun implements Callable<Integer> {

    @Parameters(index = "0", description = "the configuration, in the folder of the run")
    private Path config = Path.of("config.fti");

    @Parameters(index = "1", description = "MiB per rank")
    private int mib;

    @Parameters(index = "2", description = "number of arrays")
    private int count;

    @Parameters(index = "3", description = "write or restart")
    private String what = "";

    @Parameters(index = "4", arity = "0..1", description = "levels of the checkpoints of a round, for example 14")
    private String levels = "";

    @Parameters(index = "5", arity = "0..1", description = "number of rounds")
    private int rounds;

    private PeerRun() {}

    /**
     * Runs the job.
     *
     * @param args the configuration, MiB, arrays, what to do and with what
     */
    public static void main(String[] args) {
        Bench.quiet();
        System.exit(new CommandLine(new PeerRun()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Communicators.run(this::measure);
        return 0;
    }

    private void measure(Communicator comm) throws IOException {
        List<double[]> arrays = RunFolder.emptyArrays(mib, count);
        if (what.equals("write")) {
            write(comm, arrays);
        } else {
            restart(comm, arrays);
        }
    }

    private void write(Communicator comm, List<double[]> arrays) throws IOException {
        fill(comm, arrays);
        try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
            protect(checkpoints, arrays);
            int id = 1;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < levels.length(); i++) {
                    char level = levels.charAt(i);
                    int ckptId = id++;
                    Level taken = Level.of(level - '0');
                    Cost cost = Cost.of(comm, () -> checkpoints.checkpoint(ckptId, taken));
                    print(comm, "level-" + level, cost);
                }
            }
        }
    }

    private void restart(Communicator comm, List<double[]> arrays) throws IOException {
        Checkpoints[] opened = new Checkpoints[1];
        Cost cost = Cost.of(comm, () -> {
            opened[0] = Checkpoints.open(config, comm);
            protect(opened[0], arrays);
            opened[0].recover();
        });
        print(comm, "restart", cost);
        compare(comm, arrays);
        opened[0].close();
    }

    private static void protect(Checkpoints checkpoints, List<double[]> arrays) throws IOException {
        for (int id = 0; id < arrays.size(); id++) {
            checkpoints.protect(id, arrays.get(id));
        }
    }

    /** Prints on the first rank what a call took, its files until they were durable, and what is deleted behind the program. */
    private void print(Communicator comm, String call, Cost cost) throws IOException {
        RunFolder folder = new RunFolder(config.resolveSibling("").toAbsolutePath());
        Cost deletion = Cost.of(comm, folder::awaitDeletion);
        double[] rest = new double[1];
        Cost sync = Cost.of(comm, () -> rest[0] = comm.rank() == 0 ? syncFiles(folder.path()) : 0);
        if (comm.rank() == 0) {
            double cpu = cost.cpuSeconds() + deletion.cpuSeconds() + sync.cpuSeconds();
            System.out.printf(Locale.ROOT, "peer %s %.6f %.6f %.6f%n", call, cost.seconds(), rest[0], cpu);
            System.out.flush();
        }
        comm.barrier();
    }

    private static double syncFiles(Path folder) throws IOException {
        long begin = System.nanoTime();
        try (Stream<Path> found = Files.walk(folder)) {
            found.filter(Files::isRegularFile).forEach(PeerRun::sync);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private static void sync(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** No two ranks, arrays or elements are alike. */
    static double value(int rank, int array, int i) {
        long x = (((long) rank << 52) + ((long) array << 40) + i) * 0x9E3779B97F4A7C15L;
        return (x >>> 11) * 0x1p-53;
    }

    private static void fill(Communicator comm, List<double[]> arrays) {
        for (int id = 0; id < arrays.size(); id++) {
            double[] array = arrays.get(id);
            for (int i = 0; i < array.length; i++) {
                array[i] = value(comm.rank(), id, i);
            }
        }
    }

    private static void compare(Communicator comm, List<double[]> arrays) throws IOException {
        for (int id = 0; id < arrays.size(); id++) {
            double[] array = arrays.get(id);
            for (int i = 0; i < array.length; i++) {
                if (array[i] != value(comm.rank(), id, i)) {
                    throw new IOException("the restart has brought wrong data to rank " + comm.rank() + ": array " + id
                            + ", element " + i);
                }
            }
        }
    }
}
