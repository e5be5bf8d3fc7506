package io.drumlin.bench;

import io.drumlin.bench.Call.Traffic;
import io.drumlin.bench.ScaleModel.Work;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Shows what ranks do in jobs of up to a million ranks: their operations on files and their calls of a communicator, counted in
 * real runs, and
 * by a model the messages that these calls make ({@link Call}) and the time that all of it takes ({@link Replay}).
 */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "Prints operations on files, messages, bytes and modelled seconds of jobs of up to 10^6 ranks.")
public final class ScaleBench extends Bench {

    /** Ranks of the jobs that are not run. */
    private static final List<Integer> JOBS = List.of(10_000, 100_000, 1_000_000);

    private static final int POSIX = 1;

    private static final int FTI_FF = 3;

    /** A rank that is not the root of anything. */
    private static final int WATCHED = Step.SECTOR + 5;

    @Option(
            names = "--ranks",
            split = ",",
            defaultValue = "64,256,1024",
            description = "threads of the real runs, multiples of 16, two or more (default: ${DEFAULT-VALUE})")
    private List<Integer> counted = List.of();

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
    public Integer call() throws IOException {
        if (!WatchedFileSystemProvider.isDefault()) {
            throw new IllegalStateException("start the JVM with -D" + WatchedFileSystemProvider.PROPERTY + "="
                    + WatchedFileSystemProvider.class.getName());
        }
        report("FTI-FF", (folder, ranks) -> ScaleModel.run(folder, ranks, FTI_FF));
        report("POSIX", (folder, ranks) -> ScaleModel.run(folder, ranks, POSIX));
        report("Other formats", ScaleFormats::run);
        return 0;
    }

    /** Runs a job in a folder. */
    @FunctionalInterface
    private interface Job {
        List<Map<String, List<Step>>> run(Path folder, int ranks) throws IOException;
    }

    private void report(String name, Job job) throws IOException {
        List<List<Map<String, List<Step>>>> jobs = new ArrayList<>();
        for (int ranks : counted) {
            jobs.add(inFolder(folder -> job.run(folder, ranks)));
        }
        Set<String> phases = jobs.get(0).get(0).keySet();
        title(name + ": operations on files in shared directories + on the node, counted with " + counted + " ranks");
        heads("", List.of("rank 0", "first of a node", "another"));
        phases.forEach(phase -> operations(phase, jobs));
        title(name + ": KiB of heap, counted with " + counted + " ranks");
        heads("", List.of("rank 0", "another"));
        phases.forEach(phase -> heap(phase, jobs));
        title(name + ": messages, bytes");
        heads("| rank", sizes().stream().map(ScaleBench::ranks).toList());
        phases.forEach(phase -> messages(phase, jobs));
        title(name + ": seconds");
        heads("", sizes().stream().map(ScaleBench::ranks).toList());
        phases.forEach(phase -> seconds(phase, jobs));
    }

    private List<Integer> sizes() {
        return Stream.concat(counted.stream(), JOBS.stream()).toList();
    }

    private static String ranks(int job) {
        return String.format(Locale.ROOT, "%,d ranks", job);
    }

    private static void title(String name) {
        System.out.println("\n" + name + ":\n");
    }

    private static void heads(String first, List<String> columns) {
        row(first, columns.stream());
        System.out.println("|---".repeat(1 + columns.size() + (first.isEmpty() ? 0 : 1)) + "|");
    }

    private static void row(String first, Stream<String> figures) {
        System.out.println(figures.collect(Collectors.joining(" | ", "| " + first + " | ", " |")));
    }

    private static void operations(String phase, List<List<Map<String, List<Step>>>> jobs) {
        row(
                phase,
                Stream.of(
                        most(phase, jobs, rank -> rank == 0),
                        most(phase, jobs, rank -> rank > 0 && rank % Step.NODE_SIZE == 0),
                        most(phase, jobs, rank -> rank % Step.NODE_SIZE > 0)));
    }

    private static String most(String phase, List<List<Map<String, List<Step>>>> jobs, IntPredicate which) {
        return inEach(jobs.stream()
                .map(job -> IntStream.range(0, job.size())
                        .filter(which)
                        .mapToObj(rank -> Work.of(of(job.get(rank), phase)))
                        .toList())
                .map(work -> most(work, Work::shared) + " + " + most(work, Work::onNode)));
    }

    /** One figure if it is the same in all jobs. */
    private static String inEach(Stream<String> figures) {
        List<String> all = figures.toList();
        return all.stream().distinct().count() == 1 ? all.get(0) : String.join(" → ", all);
    }

    private static List<Step> of(Map<String, List<Step>> phases, String phase) {
        return phases.getOrDefault(phase, List.of());
    }

    private static long most(List<Work> work, ToLongFunction<Work> figure) {
        return work.stream().mapToLong(figure).max().orElse(0);
    }

    private static void heap(String phase, List<List<Map<String, List<Step>>>> jobs) {
        row(
                phase,
                Stream.of(
                        inEach(jobs.stream().map(job -> kib(heap(job.get(0), phase)))),
                        inEach(jobs.stream().map(job -> kib(medianHeap(job, phase))))));
    }

    /** Returns the median of the ranks that are not the first of their nodes. */
    private static long medianHeap(List<Map<String, List<Step>>> job, String phase) {
        long[] heap = IntStream.range(0, job.size())
                .filter(rank -> rank % Step.NODE_SIZE > 0)
                .mapToLong(rank -> heap(job.get(rank), phase))
                .sorted()
                .toArray();
        return heap[heap.length / 2];
    }

    private static long heap(Map<String, List<Step>> phases, String phase) {
        return Work.of(of(phases, phase)).heap();
    }

    private static String kib(long bytes) {
        return String.format(Locale.ROOT, "%,d", (bytes + 512) / 1024);
    }

    private void messages(String phase, List<List<Map<String, List<Step>>>> jobs) {
        for (boolean root : new boolean[] {true, false}) {
            List<Traffic> traffic = sizes().stream()
                    .map(job ->
                            traffic(steps(phase, jobs, job, root ? 0 : WATCHED), job, root ? 0 : Call.innerRank(job)))
                    .toList();
            if (traffic.stream().anyMatch(each -> each.messages() > 0)) {
                row(
                        phase + " | " + (root ? "0" : "another"),
                        traffic.stream()
                                .map(each -> String.format(Locale.ROOT, "%,d, %,d", each.messages(), each.bytes())));
            }
        }
    }

    private static Traffic traffic(List<Step> steps, int job, int rank) {
        Traffic total = Traffic.NONE;
        for (Step step : steps) {
            if (step instanceof Call call) {
                total = total.plus(call.traffic(job, rank));
            } else if (step instanceof FarMessages far) {
                total = total.plus(new Traffic(far.count(), far.bytes()));
            }
        }
        return total;
    }

    private void seconds(String phase, List<List<Map<String, List<Step>>>> jobs) {
        row(phase, sizes().stream().map(job -> {
            List<List<Step>> schedules = IntStream.range(0, represented(job))
                    .mapToObj(rank -> steps(phase, jobs, job, rank))
                    .toList();
            return String.format(Locale.ROOT, "%.3g", Replay.of(job, schedules).last());
        }));
    }

    /** Ranks whose schedules are replayed: all of those that were run, or two sectors. */
    private int represented(int job) {
        return counted.contains(job) ? job : 2 * Step.SECTOR;
    }

    /** Returns the steps of a rank, or those that it would do in a job that was not run. */
    private List<Step> steps(String phase, List<List<Map<String, List<Step>>>> jobs, int job, int rank) {
        int index = counted.indexOf(job);
        if (index >= 0) {
            return of(jobs.get(index).get(rank), phase);
        }
        int last = counted.size() - 1;
        return Replay.grown(
                rank,
                of(jobs.get(last - 1).get(rank), phase),
                counted.get(last - 1),
                of(jobs.get(last).get(rank), phase),
                counted.get(last),
                job);
    }

    /** Work in a folder that is deleted afterwards. */
    @FunctionalInterface
    private interface Task<T> {
        T in(Path folder) throws IOException;
    }

    private <T> T inFolder(Task<T> work) throws IOException {
        Path folder = Files.createDirectories(home().resolve("scale"));
        try {
            return work.in(folder);
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
}
