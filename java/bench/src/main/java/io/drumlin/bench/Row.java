package io.drumlin.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A measured figure, beside what it is held to.
 *
 * @param name what was measured
 * @param unit unit of the values
 * @param values one per counted run
 * @param isCost whether less is better
 * @param limits what the machine allowed or a C original reached, measured in the same runs, in the same unit; empty where there
 *     is none
 * @param ofOriginal whether the limits are those of a C original
 * @param goal the ratio to reach; null where there is none
 */
record Row(
        String name,
        String unit,
        List<Double> values,
        boolean isCost,
        List<Double> limits,
        boolean ofOriginal,
        @Nullable Double goal) {

    /** A figure of which more is better. */
    static Row rate(String name, String unit, List<Double> values) {
        return new Row(name, unit, values, false, List.of(), false, null);
    }

    /** A figure of which less is better. */
    static Row cost(String name, String unit, List<Double> values) {
        return new Row(name, unit, values, true, List.of(), false, null);
    }

    /** With a limit for each run. */
    Row limit(List<Double> measured) {
        return new Row(name, unit, values, isCost, measured, false, goal);
    }

    /** With what a C original reached in each run. */
    Row original(List<Double> measured) {
        return new Row(name, unit, values, isCost, measured, true, goal);
    }

    /** With a limit that was not measured. */
    Row limit(double given) {
        return limit(values.stream().map(value -> given).toList());
    }

    /** With a ratio to reach; it needs a limit. */
    Row goal(@Nullable Double ratio) {
        return new Row(name, unit, values, isCost, limits, ofOriginal, ratio);
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private double min() {
        return values.stream().mapToDouble(v -> v).min().orElseThrow();
    }

    private double max() {
        return values.stream().mapToDouble(v -> v).max().orElseThrow();
    }

    /**
     * Value over limit, of costs limit over value: more is better. The median of the pairs, so that a machine that drifts
     * disturbs less.
     */
    double ratio() {
        return median(IntStream.range(0, values.size()).mapToObj(this::ratio).toList());
    }

    private double ratio(int run) {
        double value = values.get(run);
        double limit = limits.get(run);
        return isCost ? limit / value : value / limit;
    }

    String line() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT, "%-62s %9.3f %-8s (%.3f to %.3f)", name, median(values), unit, min(), max()));
        if (!limits.isEmpty()) {
            String of = ofOriginal ? "C" : "limit";
            text.append(String.format(Locale.ROOT, "   %s %.3f   ratio %.2f", of, median(limits), ratio()));
            if (goal != null) {
                text.append(String.format(Locale.ROOT, "   goal %.2f %s", goal, ratio() >= goal ? "met" : "MISSED"));
            }
        }
        return text.toString();
    }

    /** As it is in the list of rows; {@code limit} or {@code original}, {@code ratio} and {@code goal} only where there are any. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("value", median(values));
        json.put("unit", unit);
        if (!limits.isEmpty()) {
            json.put(ofOriginal ? "original" : "limit", median(limits));
            json.put("ratio", ratio());
            if (goal != null) {
                json.put("goal", goal);
            }
        }
        json.put("min", min());
        json.put("max", max());
        json.put("runs", values.size());
        return json;
    }

    /** Adds rows to the list in a JSON file, which is made when it is missing. */
    static void append(Path file, List<Row> rows) throws IOException {
        List<Object> list = new ArrayList<>();
        if (Files.exists(file)) {
            list.addAll(JSON.std.listFrom(Files.readString(file)));
        }
        rows.forEach(row -> list.add(row.json()));
        Files.writeString(file, JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(list) + "\n");
    }
}
