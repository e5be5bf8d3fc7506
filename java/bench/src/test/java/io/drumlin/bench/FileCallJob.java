package io.drumlin.bench;

import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The job of {@link ScaleModel} in a process of its own, whose calls on files {@code strace} writes down. The begin of
 * each phase is marked by a look for a path that does not exist.
 */
public final class FileCallJob {

    /** What counts; the calls that name a path, and those that list or sync a directory. */
    private static final String CALLS = "trace=%file,getdents64,fsync";

    private static final long MINUTES = 10;

    private FileCallJob() {}

    /**
     * Runs the job.
     *
     * @param args the folder, the number of ranks and {@code ckpt_io}
     * @throws IOException the job failed
     */
    public static void main(String[] args) throws IOException {
        Bench.quiet();
        Path folder = Path.of(args[0]);
        int ranks = Integer.parseInt(args[1]);
        ScaleModel.run(folder, ranks, Integer.parseInt(args[2]), ScaleModel.LEVELS, FileCallJob::mark);
    }

    private static void mark(String phase, Communicator world) throws IOException {
        look(FileCallTrace.RANK + world.rank());
        world.barrier();
        if (world.rank() == 0) {
            look(FileCallTrace.PHASE + (phase.isEmpty() ? FileCallTrace.NONE : phase));
        }
        world.barrier();
    }

    private static void look(String mark) throws IOException {
        if (Files.exists(Path.of(mark))) {
            throw new IOException(mark + " exists");
        }
    }

    /** Returns whether there is {@code strace}, and it may watch processes here. */
    static boolean canBeWatched() throws IOException, InterruptedException {
        try {
            Process process = new ProcessBuilder("strace", "-f", "--seccomp-bpf", "-e", CALLS, "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Runs the job with the JVM and the class path of this process.
     *
     * @param folder an existing folder
     * @param ranks threads of the job, a multiple of the ranks of a sector
     * @return the calls by phase
     */
    static Map<String, FileCallTrace.Calls> watch(Path folder, int ranks, int ioMode)
            throws IOException, InterruptedException {
        Path job = Files.createDirectory(folder.resolve("job")).toRealPath();
        Path trace = folder.resolve("trace");
        List<String> command = new ArrayList<>(
                List.of("strace", "-f", "--seccomp-bpf", "-y", "-s", "4096", "-e", CALLS, "-o", trace.toString()));
        command.addAll(
                java(FileCallJob.class, List.of(), job.toString(), Integer.toString(ranks), Integer.toString(ioMode)));
        run(command, folder.resolve("output"));
        return FileCallTrace.read(trace, job, ranks, Step.NODE_SIZE);
    }

    /** The command that runs a class with the JVM and the class path of this process, and its choice of native code. */
    static List<String> java(Class<?> main, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-Ddrumlin.") || argument.startsWith("--enable-native-access"))
                .forEach(command::add);
        command.addAll(options);
        command.addAll(List.of("-Xmx2g", "-Xss512k", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * Runs a command.
     *
     * @param output gets what it prints
     */
    static void run(List<String> command, Path output) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new IOException("the job failed: " + Files.readString(output));
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
