package io.drumlin.bench;

import io.drumlin.bench.Call.Traffic;
import io.drumlin.bench.FileCallTrace.Calls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What a rank sends and receives in jobs of up to a million ranks: the calls of a real run, and what they cost by {@link Call};
 * and the calls on files that ranks make in real runs.
 */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "Prints the messages and bytes of a rank in jobs of 10^3 to 10^6 ranks, and its calls on files.")
public final class ScaleBench extends Bench {

    private static final List<Integer> JOBS = List.of(1_000, 10_000, 100_000, 1_000_000);

    /** Ranks of the jobs whose calls on files are counted. */
    private static final List<Integer> COUNTED = List.of(16, 64, 256);

    private static final int POSIX = 1;

    private static final int FTI_FF = 3;

    /** Of a rank that is not the root of anything. */
    private static final int WATCHED = 21;

    @Option(
            names = "--ranks",
            defaultValue = "256",
            description = "threads of the real run (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(names = "--ckpt-io", defaultValue = "3", description = "ckpt_io (default: ${DEFAULT-VALUE}, FTI-FF)")
    private int ioMode;

    private ScaleBench() {}

    /**
     * Runs the measurement.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        run(new ScaleBench(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        messages();
        if (!FileCallJob.canBeWatched()) {
            System.err.println(
                    "calls on files are not counted: there is no strace, or it may not watch processes here");
            return 0;
        }
        for (int mode : new int[] {FTI_FF, POSIX}) {
            System.out.println(mode == FTI_FF ? "\nFTI-FF:\n" : "\nPOSIX:\n");
            fileCalls(mode);
        }
        return 0;
    }

    private void messages() throws IOException {
        List<Map<String, List<Call>>> all = inFolder("scale", folder -> ScaleModel.run(folder, ranks, ioMode));
        Map<String, List<Call>> root = all.get(0);
        Map<String, List<Call>> other = all.get(WATCHED);
        System.out.println("| | rank | 10^3 ranks | 10^4 | 10^5 | 10^6 |\n|---|---|---|---|---|---|");
        root.forEach((phase, calls) -> {
            if (!calls.isEmpty()) {
                row(phase, "0", calls, job -> 0);
                row(phase, "inner", other.getOrDefault(phase, List.of()), Call::innerRank);
                row(phase, "last", other.getOrDefault(phase, List.of()), job -> job - 1);
            }
        });
    }

    private void fileCalls(int mode) throws IOException {
        List<Map<String, Calls>> jobs = new ArrayList<>();
        for (int job : COUNTED) {
            jobs.add(inFolder("files", folder -> FileCallJob.watch(folder, job, mode)));
        }
        System.out.println(
                "| | rank | " + COUNTED.stream().map(job -> job + " ranks").collect(Collectors.joining(" | "))
                        + " |\n|---|---|" + "---|".repeat(COUNTED.size()));
        for (String phase : jobs.get(0).keySet()) {
            List<Calls> calls = jobs.stream().map(job -> job.get(phase)).toList();
            row(phase, "0", calls.stream().map(Calls::first));
            row(phase, "first of a node", calls.stream().map(Calls::firstOfNode));
            row(phase, "another", calls.stream().map(Calls::ordinary));
            row(
                    phase,
                    "all, per rank",
                    IntStream.range(0, calls.size())
                            .mapToObj(i -> String.format(
                                    Locale.ROOT, "%.1f", (double) calls.get(i).all() / COUNTED.get(i))));
        }
    }

    private static void row(String phase, String rank, Stream<?> figures) {
        System.out.println(figures.map(Object::toString)
                .collect(Collectors.joining(" | ", "| " + phase + " | " + rank + " | ", " |")));
    }

    /** Work in a folder that is deleted afterwards. */
    @FunctionalInterface
    private interface Work<T> {
        T in(Path folder) throws IOException, InterruptedException;
    }

    private <T> T inFolder(String name, Work<T> work) throws IOException {
        Path folder = Files.createDirectories(home().resolve(name));
        try {
            return work.in(folder);
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted((one, two) -> two.compareTo(one)).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** Which rank of a job. */
    @FunctionalInterface
    private interface Place {
        int in(int jobRanks);
    }

    private static void row(String phase, String name, List<Call> calls, Place rank) {
        System.out.println(JOBS.stream()
                .map(job -> calls.stream()
                        .map(call -> call.traffic(job, rank.in(job)))
                        .reduce(Traffic.NONE, Traffic::plus))
                .map(total -> String.format(Locale.ROOT, "%,d, %,d", total.messages(), total.bytes()))
                .collect(Collectors.joining(" | ", "| " + phase + " | " + name + " | ", " |")));
    }
}
