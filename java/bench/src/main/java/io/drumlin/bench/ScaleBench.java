package io.drumlin.bench;

import io.drumlin.bench.Call.Operation;
import io.drumlin.bench.Call.Traffic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a rank sends and receives in jobs of up to a million ranks: the calls of a real run, and what they cost by {@link Call}. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = "Prints the messages and bytes of a rank in jobs of 10^3 to 10^6 ranks.")
public final class ScaleBench extends Bench {

    private static final List<Integer> JOBS = List.of(1_000, 10_000, 100_000, 1_000_000);

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
    public Integer call() throws IOException {
        Map<String, List<Call>> root = calls(0);
        Map<String, List<Call>> other = calls(WATCHED);
        Predicate<Call> isSplit = call -> call.operation() == Operation.SPLIT;
        System.out.println("| | rank | 10^3 ranks | 10^4 | 10^5 | 10^6 |\n|---|---|---|---|---|---|");
        root.forEach((phase, calls) -> {
            if (!calls.isEmpty()) {
                row(phase, "0", calls, isSplit.negate(), job -> 0);
                row(phase, "inner", other.getOrDefault(phase, List.of()), isSplit.negate(), Call::innerRank);
                row(phase, "last", other.getOrDefault(phase, List.of()), isSplit.negate(), job -> job - 1);
            }
        });
        root.forEach((phase, calls) -> {
            if (calls.stream().anyMatch(isSplit)) {
                row(phase + ": splits", "each", calls, isSplit, job -> 0);
            }
        });
        return 0;
    }

    private Map<String, List<Call>> calls(int rank) throws IOException {
        Path folder = home().resolve("scale-" + rank);
        try {
            return ScaleModel.run(folder, ranks, rank, ioMode);
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

    private static void row(String phase, String name, List<Call> calls, Predicate<Call> counted, Place rank) {
        System.out.println(JOBS.stream()
                .map(job -> calls.stream()
                        .filter(counted)
                        .map(call -> call.traffic(job, rank.in(job)))
                        .reduce(Traffic.NONE, Traffic::plus))
                .map(total -> String.format(Locale.ROOT, "%,d, %,d", total.messages(), total.bytes()))
                .collect(Collectors.joining(" | ", "| " + phase + " | " + name + " | ", " |")));
    }
}
