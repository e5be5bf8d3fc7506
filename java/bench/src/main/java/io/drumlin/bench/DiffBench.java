package io.drumlin.bench;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Measures how fast the command compares two large checkpoints that differ in a few numbers, from the start of its process to its
 * end, and the most memory that it has.
 */
@Command(name = "diff", mixinStandardHelpOptions = true, description = "Measures the comparison of two checkpoints.")
public final class DiffBench extends Bench {

    private static final int POSIX = 1;
    private static final int FTI_FF = 3;

    /** Rows of the array, which are the same in memory: the file has as many times its bytes. */
    private static final int ROWS = 16;

    private static final double MOST_MIB = 256;

    @Option(names = "--mib", defaultValue = "8192", description = "size of a checkpoint (default: ${DEFAULT-VALUE})")
    private int mib;

    @Parameters(arity = "1..*", description = "the command that compares, without its arguments")
    private List<String> command = List.of();

    private DiffBench() {}

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new DiffBench(), args);
    }

    @Override
    public Integer call() throws IOException {
        try (Communicator comm = new SingleCommunicator()) {
            measure(comm, FTI_FF, "FTI-FF, one double[][]", 0.8);
            // The digest of a file is one stream of MD5, which bounds it.
            measure(comm, POSIX, "POSIX", null);
        }
        return 0;
    }

    private void measure(Communicator comm, int mode, String name, @Nullable Double goal) throws IOException {
        forgetFigures();
        double[] row = RunFolder.arrays(mib / ROWS, 1, 0).get(0);
        List<Path> files = new ArrayList<>();
        for (String side : List.of("a", "b")) {
            RunFolder folder =
                    RunFolder.create(comm, Files.createDirectories(home()).resolve(side), mode);
            files.add(checkpoint(comm, folder, row));
            row[row.length / 2]++;
        }
        for (int run = FIRST_RUN; run < runs(); run++) {
            double bytes = (double) Files.size(files.get(0)) + Files.size(files.get(1));
            keep(run, "raw", bytes / GB / rawSeconds(files));
            compare(run, files, bytes);
        }
        for (String side : List.of("a", "b")) {
            new RunFolder(home().resolve(side)).delete(comm);
        }
        String title = String.format(Locale.ROOT, "drumlin diff, %s, 2 x %d MiB", name, mib);
        report(List.of(
                Row.rate(title, "GB/s", figures("diff")).limit(figures("raw")).goal(goal),
                Row.cost(title + ", memory", "MiB", figures("memory"))
                        .limit(MOST_MIB)
                        .goal(1.0)));
    }

    private static Path checkpoint(Communicator comm, RunFolder folder, double[] row) throws IOException {
        double[][] rows = new double[ROWS][];
        Arrays.fill(rows, row);
        try (Checkpoints run =
                Checkpoints.builder(folder.config()).communicator(comm).open()) {
            run.protect(0, rows);
            run.checkpoint(1, Level.L1);
        }
        try (Stream<Path> found = Files.walk(folder.path())) {
            return found.filter(file -> file.getFileName().toString().matches("Ckpt1-Rank0.*"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Measures direct reads of both files at the same time. */
    private static double rawSeconds(List<Path> files) throws IOException {
        long begin = System.nanoTime();
        List<CompletableFuture<@Nullable IOException>> reads = files.stream()
                .map(file -> CompletableFuture.supplyAsync(() -> read(file)))
                .toList();
        for (CompletableFuture<@Nullable IOException> read : reads) {
            IOException failure = read.join();
            if (failure != null) {
                throw failure;
            }
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private static @Nullable IOException read(Path file) {
        try (RawTransfer raw = new RawTransfer(StorageEngines.best())) {
            raw.read(file, Files.size(file));
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void compare(int run, List<Path> files, double bytes) throws IOException {
        List<String> arguments = new ArrayList<>(command);
        files.forEach(file -> arguments.add(file.toString()));
        arguments.addAll(List.of("--type", "double", "--brief"));
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(arguments)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        double most = 0;
        while (process.isAlive()) {
            most = Math.max(most, memory(process.pid()));
            sleep();
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (process.exitValue() != 1) {
            throw new IOException("the files are different, but the command ended with " + process.exitValue() + ": "
                    + String.join(" ", arguments));
        }
        keep(run, "diff", bytes / GB / seconds);
        keep(run, "memory", most);
    }

    private static void sleep() throws IOException {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }

    /** Returns the most memory in MiB that a process had so far; 0 if it has just ended. */
    private static double memory(long process) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process + "/status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
                    .findFirst()
                    .orElse(0);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
