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

/**
 * A measured figure.
 *
 * @param name what was measured
 * @param values one per counted run
 * @param unit unit of the values
 * @param limits what the machine allowed, measured in the same runs, in the same unit; empty where there is none
 */
record Row(String name, List<Double> values, String unit, List<Double> limits) {

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static double spread(List<Double> values, boolean high) {
        return high
                ? values.stream().mapToDouble(v -> v).max().orElse(0)
                : values.stream().mapToDouble(v -> v).min().orElse(0);
    }

    /** Ratio of value to limit, pair by pair, so that a machine that drifts disturbs less. */
    private double ratio() {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / limits.get(i));
        }
        return median(ratios);
    }

    String line() {
        String text = String.format(
                Locale.ROOT,
                "%-56s %8.3f %-7s (%.3f to %.3f)",
                name,
                median(values),
                unit,
                spread(values, false),
                spread(values, true));
        return limits.isEmpty()
                ? text
                : text + String.format(Locale.ROOT, "   limit %8.3f   ratio %.2f", median(limits), ratio());
    }

    private Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("value", median(values));
        json.put("unit", unit);
        json.put("min", spread(values, false));
        json.put("max", spread(values, true));
        json.put("runs", values.size());
        if (!limits.isEmpty()) {
            json.put("limit", median(limits));
            json.put("ratio", ratio());
        }
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
