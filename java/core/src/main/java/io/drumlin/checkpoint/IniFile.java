package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A file in the INI dialect of C FTI (docs/formats/fti-run-directory.md, section 4).
 *
 * <p>Sections and keys fold to lower case, the last definition of a key wins. {@link #with} changes single values and
 * leaves comments, order and spacing of all other lines as they were. Immutable.
 */
final class IniFile {

    /** C FTI reads lines into a buffer of 1024 bytes. */
    private static final int MAX_LINE = 1023;

    private final List<String> lines;
    private final Map<String, Map<String, Entry>> sections;

    /** A value and the lines, first and last, it was read from. */
    private record Entry(String value, int firstLine, int lastLine) {}

    private IniFile(List<String> lines, Map<String, Map<String, Entry>> sections) {
        this.lines = lines;
        this.sections = sections;
    }

    /**
     * Reads a text.
     *
     * @param text the file's content
     * @param name the file's name, for messages
     * @return the parsed file
     * @throws DrumlinException a line is neither section, definition, comment nor empty, or is too long
     */
    static IniFile parse(String text, String name) throws DrumlinException {
        List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
        Map<String, Map<String, Entry>> sections = new LinkedHashMap<>();
        String section = "";
        for (int i = 0; i < lines.size(); i++) {
            int first = i;
            StringBuilder logical = new StringBuilder(lines.get(i).stripTrailing());
            while (logical.length() > 0 && logical.charAt(logical.length() - 1) == '\\' && i + 1 < lines.size()) {
                logical.setLength(logical.length() - 1);
                logical.append(lines.get(++i).strip());
            }
            if (logical.length() > MAX_LINE) {
                throw syntaxError(name, first, "line longer than " + MAX_LINE + " characters");
            }
            String line = logical.toString().strip();
            if (line.isEmpty() || line.charAt(0) == '#' || line.charAt(0) == ';') {
                continue;
            }
            if (line.charAt(0) == '[') {
                int end = line.indexOf(']');
                if (end < 0) {
                    throw syntaxError(name, first, "section without a closing bracket: " + line);
                }
                section = line.substring(1, end).strip().toLowerCase(Locale.ROOT);
                sections.computeIfAbsent(section, s -> new LinkedHashMap<>());
                continue;
            }
            int equals = line.indexOf('=');
            if (equals <= 0) {
                throw syntaxError(name, first, "neither a section, a \"key = value\" nor a comment: " + line);
            }
            String key = line.substring(0, equals).strip().toLowerCase(Locale.ROOT);
            String value = value(line.substring(equals + 1).strip());
            sections.computeIfAbsent(section, s -> new LinkedHashMap<>()).put(key, new Entry(value, first, i));
        }
        return new IniFile(lines, sections);
    }

    private static DrumlinException syntaxError(String name, int line, String problem) {
        return DrumlinException.during("reading line " + (line + 1) + " of " + name)
                .problem(problem)
                .advice("correct the line; C FTI refuses the whole file too")
                .exception();
    }

    private static String value(String text) {
        if (!text.isEmpty() && (text.charAt(0) == '"' || text.charAt(0) == '\'')) {
            int end = text.indexOf(text.charAt(0), 1);
            if (end > 0) {
                return text.substring(1, end);
            }
        }
        return text.substring(0, valueEnd(text)).strip();
    }

    /** Where a comment behind an unquoted value starts. */
    private static int valueEnd(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '#' || text.charAt(i) == ';') {
                return i;
            }
        }
        return text.length();
    }

    Optional<String> get(String section, String key) {
        return Optional.ofNullable(sections.getOrDefault(section, Map.of()).get(key))
                .map(Entry::value);
    }

    Set<String> sections() {
        return sections.keySet();
    }

    Map<String, String> section(String name) {
        Map<String, String> values = new LinkedHashMap<>();
        sections.getOrDefault(name, Map.of()).forEach((key, entry) -> values.put(key, entry.value()));
        return values;
    }

    /** This with one value set; a missing key or section is added in C FTI's way of writing. */
    IniFile with(String section, String key, String value) throws DrumlinException {
        List<String> changed = new ArrayList<>(lines);
        Entry old = sections.getOrDefault(section, Map.of()).get(key);
        if (old != null) {
            for (int i = old.lastLine; i > old.firstLine; i--) {
                changed.remove(i);
            }
            changed.set(old.firstLine, replaceValue(changed.get(old.firstLine), value));
        } else if (sections.containsKey(section)) {
            changed.add(lineAfterSectionHeader(section), definition(key, value));
        } else {
            while (!changed.isEmpty() && changed.get(changed.size() - 1).isBlank()) {
                changed.remove(changed.size() - 1);
            }
            changed.addAll(List.of("", "", "[" + section + "]", definition(key, value), "", "", ""));
        }
        return parse(String.join("\n", changed), "the changed file");
    }

    private int lineAfterSectionHeader(String section) {
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.startsWith("[")
                    && line.indexOf(']') > 0
                    && line.substring(1, line.indexOf(']')).strip().equalsIgnoreCase(section)) {
                return i + 1;
            }
        }
        throw new IllegalStateException("section " + section + " has no header line");
    }

    private static String replaceValue(String line, String value) {
        int equals = line.indexOf('=');
        String rest = line.substring(equals + 1);
        int start = 0;
        while (start < rest.length() && Character.isWhitespace(rest.charAt(start))) {
            start++;
        }
        String tail = comment(rest.substring(start));
        return line.substring(0, equals + 1) + rest.substring(0, start) + value + (tail.isEmpty() ? "" : " " + tail);
    }

    private static String comment(String text) {
        String rest = text;
        if (!text.isEmpty() && (text.charAt(0) == '"' || text.charAt(0) == '\'')) {
            int end = text.indexOf(text.charAt(0), 1);
            rest = end > 0 ? text.substring(end + 1) : text;
        }
        return rest.substring(valueEnd(rest)).stripTrailing();
    }

    private static String definition(String key, String value) {
        return String.format(Locale.ROOT, "%-30s = %s", key, value);
    }

    /** The content as a text. */
    String text() {
        return String.join("\n", lines);
    }

    /** Writes sections the way C FTI's library dumps them. */
    static String dump(Map<String, Map<String, String>> sections) {
        StringBuilder text = new StringBuilder();
        sections.forEach((name, values) -> {
            text.append("\n[").append(name).append("]\n");
            values.forEach((key, value) -> text.append(definition(key, value)).append('\n'));
            text.append('\n');
        });
        return text.append('\n').toString();
    }
}
