package io.drumlin.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * A row of a JSON file that {@link Row#append} has written.
 *
 * @param original what a C original reached; a row has this or a limit or neither
 * @param ratio there where the limit or the original is
 * @param goal only where the ratio is
 */
record MeasuredRow(
        String name,
        double value,
        String unit,
        OptionalDouble limit,
        OptionalDouble original,
        OptionalDouble ratio,
        OptionalDouble goal) {

    static List<MeasuredRow> read(Path file) throws IOException {
        return JSON.std.listFrom(Files.readString(file)).stream()
                .map(row -> of((Map<?, ?>) row))
                .toList();
    }

    private static MeasuredRow of(Map<?, ?> json) {
        return new MeasuredRow(
                text(json, "name"),
                number(json, "value").orElseThrow(),
                text(json, "unit"),
                number(json, "limit"),
                number(json, "original"),
                number(json, "ratio"),
                number(json, "goal"));
    }

    private static String text(Map<?, ?> json, String key) {
        return Objects.requireNonNull(json.get(key), key).toString();
    }

    private static OptionalDouble number(Map<?, ?> json, String key) {
        return json.get(key) instanceof Number number
                ? OptionalDouble.of(number.doubleValue())
                : OptionalDouble.empty();
    }

    boolean hasGoal() {
        return goal.isPresent();
    }

    boolean meetsGoal() {
        return ratio.orElseThrow() >= goal.orElseThrow();
    }
}
