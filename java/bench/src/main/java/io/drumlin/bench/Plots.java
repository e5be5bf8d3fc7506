package io.drumlin.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** Draws the rows of a JSON file: {@code goals.svg}, {@code bandwidth.svg} and {@code cpu.svg}. */
public final class Plots {

    /** The largest multiple of a goal that a bar shows. */
    private static final double MOST_OF_GOAL = 2;

    private Plots() {}

    /**
     * Draws the plots.
     *
     * @param args the JSON file and the folder for the plots
     * @throws IOException the file cannot be read, or a plot not be written
     */
    public static void main(String[] args) throws IOException {
        List<MeasuredRow> rows = MeasuredRow.read(Path.of(args[0]));
        Path folder = Files.createDirectories(Path.of(args[1]));
        write(folder.resolve("goals.svg"), goals(rows));
        write(
                folder.resolve("bandwidth.svg"),
                beside(
                        rows,
                        "GB/s",
                        false,
                        "Bandwidth, GB/s",
                        "More is better. Limits were measured in turn with the rows.",
                        "limit"));
        write(
                folder.resolve("cpu.svg"),
                beside(
                        rows,
                        "s/GiB",
                        true,
                        "CPU seconds per GiB",
                        "Less is better. C FTI's cost was measured in turn with the rows.",
                        "C FTI by its cost model"));
    }

    private static void write(Path file, BarChart chart) throws IOException {
        Files.writeString(file, chart.svg());
        System.out.println(file);
    }

    /** Ratios as parts of their goals, all to one scale. */
    private static BarChart goals(List<MeasuredRow> rows) {
        List<BarChart.Bar> bars = new ArrayList<>();
        for (MeasuredRow row : rows) {
            if (row.hasGoal()) {
                double ratio = row.ratio().orElseThrow();
                double goal = row.goal().orElseThrow();
                bars.add(new BarChart.Bar(
                        row.name(),
                        ratio / goal,
                        OptionalDouble.empty(),
                        OptionalDouble.of(1),
                        !row.meetsGoal(),
                        String.format(Locale.ROOT, "ratio %.2f, goal %.2f", ratio, goal)));
            }
        }
        String subtitle =
                "Ratio to the limit as a part of the goal: a bar that reaches its line meets it; cut at twice the"
                        + " goal.";
        return new BarChart("Goals", subtitle, "", MOST_OF_GOAL, bars);
    }

    /** Values of one unit beside their limits. */
    private static BarChart beside(
            List<MeasuredRow> rows, String unit, boolean cost, String title, String subtitle, String limitMeaning) {
        List<BarChart.Bar> bars = new ArrayList<>();
        double longest = 0;
        for (MeasuredRow row : rows) {
            if (row.unit().equals(unit) && row.limit().isPresent()) {
                double limit = row.limit().orElseThrow();
                bars.add(new BarChart.Bar(
                        row.name(),
                        row.value(),
                        row.limit(),
                        mark(row, limit, cost),
                        row.hasGoal() && !row.meetsGoal(),
                        text(row, limit)));
                longest = DoubleStream.of(longest, limit, row.value()).max().orElseThrow();
            }
        }
        return new BarChart(title, subtitle, limitMeaning, longest, bars);
    }

    private static OptionalDouble mark(MeasuredRow row, double limit, boolean cost) {
        if (!row.hasGoal()) {
            return OptionalDouble.empty();
        }
        double goal = row.goal().orElseThrow();
        return OptionalDouble.of(cost ? limit / goal : limit * goal);
    }

    private static String text(MeasuredRow row, double limit) {
        String text = String.format(
                Locale.ROOT,
                "%.2f of %.2f: ratio %.2f",
                row.value(),
                limit,
                row.ratio().orElseThrow());
        return row.hasGoal()
                ? text + String.format(Locale.ROOT, ", goal %.2f", row.goal().orElseThrow())
                : text;
    }
}
