package io.drumlin.cli.stat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.cli.base.Program;
import io.drumlin.cli.base.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drumlin stat}: what the checkpoints of a run cost. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        versionProvider = Program.class,
        description = {
            "Prints what the checkpoints of a run cost: per level their number, size, times and the slowest ranks.",
            "Reads logs of events (-Ddrumlin.log) and recordings of the JDK Flight Recorder, of one rank or of several.",
            "Bandwidth is that of a rank: bytes of its file by seconds of the checkpoint."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "2:there are no events in the files",
            "3:a file could not be read or written",
            "64:wrong command line"
        })
public final class StatCommand implements Callable<Integer> {

    private static final double MILLI = 1e3;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Logs or recordings of one run.")
    @SuppressWarnings("NullAway.Init")
    private List<Path> files;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE.svg",
            description = "Draw the checkpoints over time.")
    private @Nullable Path picture;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    private final Map<String, LevelCosts> levels = new TreeMap<>();
    /** How many events of a kind the log of a rank has. */
    private final Map<String, Map<Integer, Long>> counts = new TreeMap<>();

    private double first;
    private double last;
    private long unreadable;

    @Override
    public Integer call() throws IOException {
        clear();
        for (StatReader reader : readers()) {
            reader.forEach(this::add);
            unreadable += reader.unreadable();
        }
        if (first > last) {
            throw new CommandException(
                    ExitCode.NOT_RECOGNISED, files.get(0) + ": there are no events of Drumlin in it");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            write(out);
        } else {
            print(out);
        }
        out.flush();
        if (picture != null) {
            draw(picture);
        }
        return ExitCode.OK;
    }

    /** Forgets an earlier call: picocli makes one object for all. */
    private void clear() {
        levels.clear();
        counts.clear();
        first = Double.POSITIVE_INFINITY;
        last = Double.NEGATIVE_INFINITY;
        unreadable = 0;
    }

    private List<StatReader> readers() {
        List<StatReader> readers = new ArrayList<>();
        files.forEach(file -> readers.add(new StatReader(file)));
        return readers;
    }

    private void add(StatEvent event) {
        first = Math.min(first, event.begin());
        last = Math.max(last, event.end());
        counts.computeIfAbsent(event.kind(), kind -> new TreeMap<>()).merge(event.rank(), 1L, Long::sum);
        if (event.isCheckpoint() || event.kind().equals("step")) {
            levels.computeIfAbsent(event.levelName(), name -> new LevelCosts()).add(event);
        }
    }

    /** The logs of several ranks all have an event of the run. */
    private long count(String kind) {
        return counts.getOrDefault(kind, Map.of()).values().stream()
                .mapToLong(each -> each)
                .max()
                .orElse(0);
    }

    private static String time(double seconds) {
        return Instant.ofEpochMilli((long) (seconds * MILLI))
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }

    private void print(PrintWriter out) {
        out.printf(Locale.ROOT, "%s to %s, %.1f s%n", time(first), time(last), last - first);
        out.printf(
                Locale.ROOT,
                "starts: %d, recoveries: %d, rebuilds: %d, failures: %d, ends: %d%n",
                count("start"),
                count("recovery"),
                count("rebuild"),
                count("failure"),
                count("end"));
        if (unreadable > 0) {
            out.printf(Locale.ROOT, "lines that are no events, or cut: %d%n", unreadable);
        }
        out.println("Checkpoints, times in milliseconds:");
        new Table(
                        "<level",
                        "number",
                        "bytes/rank",
                        "mean",
                        "max",
                        "stall",
                        "wait",
                        "write",
                        "exchange",
                        "commit",
                        "MB/s/rank",
                        "<slowest ranks (steps)")
                .print(out, () -> levels.entrySet().stream().map(each -> row(each.getKey(), each.getValue())));
    }

    private static Object[] row(String name, LevelCosts costs) {
        List<Object> row = new ArrayList<>();
        row.add(name);
        row.add(costs.checkpoints());
        row.add(Math.round(costs.meanBytes()));
        row.add(millis(costs.meanSeconds()));
        row.add(millis(costs.mostSeconds()));
        row.add(millis(costs.meanStall()));
        StatReader.STEPS.forEach(step -> row.add(millis(costs.meanOfStep(step))));
        row.add(String.format(Locale.ROOT, "%.0f", costs.bandwidth() / 1e6));
        row.add(costs.slowestText());
        return row.toArray();
    }

    private static String millis(double seconds) {
        return String.format(Locale.ROOT, "%.2f", seconds * MILLI);
    }

    private void write(PrintWriter out) throws IOException {
        JsonGenerator object = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter();
        object.writeStartObject();
        object.writeStringField("from", time(first));
        object.writeStringField("to", time(last));
        object.writeNumberField("seconds", last - first);
        for (String kind : List.of("start", "recovery", "rebuild", "failure", "end")) {
            object.writeNumberField(kind, count(kind));
        }
        object.writeNumberField("unreadable_lines", unreadable);
        object.writeArrayFieldStart("levels");
        for (Map.Entry<String, LevelCosts> each : levels.entrySet()) {
            write(object, each.getKey(), each.getValue());
        }
        object.writeEndArray();
        object.writeEndObject();
        object.flush();
        out.println();
    }

    private static void write(JsonGenerator object, String level, LevelCosts costs) throws IOException {
        object.writeStartObject();
        object.writeStringField("level", level);
        object.writeNumberField("number", costs.checkpoints());
        object.writeNumberField("bytes_per_rank", Math.round(costs.meanBytes()));
        object.writeNumberField("mean_seconds", costs.meanSeconds());
        object.writeNumberField("max_seconds", costs.mostSeconds());
        object.writeNumberField("mean_stall_seconds", costs.meanStall());
        for (String step : StatReader.STEPS) {
            object.writeNumberField("mean_" + step + "_seconds", costs.meanOfStep(step));
        }
        object.writeNumberField("bytes_per_second_per_rank", costs.bandwidth());
        object.writeNumberField("measured_steps", costs.measured());
        object.writeArrayFieldStart("slowest_ranks");
        for (LevelCosts.Slow slow : costs.slowest()) {
            object.writeStartObject();
            object.writeNumberField("rank", slow.rank());
            object.writeNumberField("steps", slow.steps());
            object.writeNumberField("max_seconds", slow.most());
            object.writeEndObject();
        }
        object.writeEndArray();
        object.writeEndObject();
    }

    /** Reads the files again, because the picture needs to know how long the run was. */
    private void draw(Path svg) throws IOException {
        TimelinePicture timeline = new TimelinePicture(first, last, levels.keySet());
        for (StatReader reader : readers()) {
            reader.forEach(timeline::add);
        }
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(svg, StandardCharsets.UTF_8))) {
            timeline.writeSvg(out, "Checkpoints of " + files.get(0).getFileName(), time(first) + " to " + time(last));
            if (out.checkError()) {
                throw new IOException(svg + " cannot be written");
            }
        }
    }
}
