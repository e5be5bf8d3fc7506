package io.drumlin.scr.internal.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of SCR's configuration: {@code KEY=VALUE}, followed by items of the same form.
 *
 * @param key the first key, in upper case
 * @param value its value
 * @param items the other keys and values
 */
public record ConfigLine(String key, String value, Map<String, String> items) {

    /** In files, names of variables have no digits. */
    private static final Pattern VARIABLE = Pattern.compile("\\$([A-Za-z_]+)");

    public ConfigLine {
        items = Map.copyOf(items);
    }

    /**
     * Parses a line. {@code #} begins a comment. A backslash makes the next character literal.
     *
     * @return empty if the line has no content
     * @throws IllegalArgumentException an item has no {@code =}
     */
    public static Optional<ConfigLine> parse(String line, Map<String, String> environment) {
        List<String> items = split(line, environment);
        if (items.isEmpty()) {
            return Optional.empty();
        }
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String item : items) {
            int equals = item.indexOf('=');
            if (equals <= 0) {
                throw new IllegalArgumentException("'" + item + "' is no KEY=VALUE");
            }
            pairs.put(item.substring(0, equals).toUpperCase(Locale.ROOT), item.substring(equals + 1));
        }
        String first = pairs.keySet().iterator().next();
        String value = Objects.requireNonNull(pairs.remove(first));
        return Optional.of(new ConfigLine(first, value, pairs));
    }

    private static List<String> split(String line, Map<String, String> environment) {
        List<String> items = new ArrayList<>();
        StringBuilder item = new StringBuilder();
        for (int i = 0; i < line.length() && line.charAt(i) != '#'; i++) {
            char c = line.charAt(i);
            Matcher variable = VARIABLE.matcher(line).region(i, line.length());
            if (c == '\\' && i + 1 < line.length()) {
                item.append(line.charAt(++i));
            } else if (variable.lookingAt()) {
                item.append(environment.getOrDefault(variable.group(1), ""));
                i = variable.end() - 1;
            } else if (!Character.isWhitespace(c)) {
                item.append(c);
            } else if (item.length() > 0) {
                items.add(item.toString());
                item.setLength(0);
            }
        }
        if (item.length() > 0) {
            items.add(item.toString());
        }
        return items;
    }
}
