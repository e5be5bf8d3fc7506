package io.drumlin.format.fti;

import io.drumlin.DrumlinException;
import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A file in the INI dialect of C FTI (docs/formats/fti-run-directory.md, section 4).
 *
 * <p>Sections and keys are converted to lower case. The last definition of a key wins. {@link #with} changes single
 * values and keeps comments, order and spacing of all other lines. Immutable.
 */
public final class IniFile {

    private final List<String> lines;
    private final Map<String, Map<String, Entry>> sections;

    /** A value, and the first and last line from which it was read. */
    private record Entry(String value, int firstLine, int lastLine) {}

    private IniFile(List<String> lines, Map<String, Map<String, Entry>> sections) {
        this.lines = lines;
        this.sections = sections;
    }

    /**
     * Reads a text.
     *
     * @param text the file's content, one character per byte
     * @param name the file's name, for messages
     * @return the parsed file
     * @throws DrumlinException a line is neither section, definition, comment nor empty, or is too long
     */
    public static IniFile parse(String text, String name) throws DrumlinException {
        Map<String, Map<String, Entry>> sections = new LinkedHashMap<>();
        IniScanner scanner = new IniScanner(
                new MemoryByteSource(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1))), "INI");
        try {
            while (scanner.next()) {
                Map<String, Entry> section = sections.computeIfAbsent(scanner.section(), s -> new LinkedHashMap<>());
                String key = scanner.key();
                if (key != null) {
                    section.put(key, new Entry(scanner.value(), scanner.firstLine(), scanner.lastLine()));
                }
            }
        } catch (FormatException e) {
            throw DrumlinException.during("reading " + e.finding().field() + " of " + name)
                    .problem(e.finding().problem())
                    .advice("correct the line; C FTI refuses the whole file too")
                    .exception();
        } catch (IOException e) {
            throw new AssertionError("memory can be read", e);
        }
        return new IniFile(List.of(text.split("\n", -1)), sections);
    }

    /**
     * Returns a value.
     *
     * @param section name in lower case
     * @param key name in lower case
     * @return the value without quotes and comment; empty if there is no such key
     */
    public Optional<String> get(String section, String key) {
        return Optional.ofNullable(sections.getOrDefault(section, Map.of()).get(key))
                .map(Entry::value);
    }

    /**
     * Returns the names of all sections.
     *
     * @return names in the order of the file, in lower case
     */
    public Set<String> sections() {
        return Collections.unmodifiableSet(sections.keySet());
    }

    /**
     * Returns the definitions of a section.
     *
     * @param name the name of the section, in lower case
     * @return values by key, in the order in which the keys first appear; empty if there is no such section
     */
    public Map<String, String> section(String name) {
        Map<String, String> values = new LinkedHashMap<>();
        sections.getOrDefault(name, Map.of()).forEach((key, entry) -> values.put(key, entry.value()));
        return values;
    }

    /**
     * Finds values that end at {@code #} or {@code ;} without a blank before it, which may be no comments.
     *
     * @return a sentence for each
     */
    public List<String> cutValues() {
        List<String> found = new ArrayList<>();
        sections.forEach((section, entries) -> entries.forEach((key, entry) -> {
            String line = lines.get(entry.firstLine);
            String text = line.substring(line.indexOf('=') + 1).strip();
            int end = text.startsWith("\"") || text.startsWith("'") ? text.length() : IniScanner.valueEnd(text);
            if (end > 0 && end < text.length() && !Character.isWhitespace(text.charAt(end - 1))) {
                found.add("[" + section + "] " + key + " is " + entry.value + ", because a comment begins at the "
                        + text.charAt(end) + " of " + text + "; if it belongs to the value, put quotes around that");
            }
        }));
        return found;
    }

    /**
     * Returns this file with one value set. A missing key or section is added in C FTI's style.
     *
     * @param section name in lower case
     * @param key name in lower case
     * @param value the new value
     * @return the changed file
     * @throws DrumlinException the changed line is too long
     */
    public IniFile with(String section, String key, String value) throws DrumlinException {
        List<String> changed = new ArrayList<>(lines);
        Entry old = sections.getOrDefault(section, Map.of()).get(key);
        if (old != null) {
            for (int i = old.lastLine; i > old.firstLine; i--) {
                changed.remove(i);
            }
            changed.set(old.firstLine, replaceValue(changed.get(old.firstLine), value));
        } else if (sections.containsKey(section)) {
            changed.add(lineAfterSectionHeader(section), IniText.definition(key, value));
        } else {
            while (!changed.isEmpty() && changed.get(changed.size() - 1).isBlank()) {
                changed.remove(changed.size() - 1);
            }
            changed.addAll(List.of("", "", "[" + section + "]", IniText.definition(key, value), "", "", ""));
        }
        return parse(String.join("\n", changed), "the changed file");
    }

    /**
     * Returns this file without a key.
     *
     * @param section name in lower case
     * @param key name in lower case
     * @return the changed file, which is this one if it has no such key
     * @throws DrumlinException a line that the removed one has hidden is refused
     */
    public IniFile without(String section, String key) throws DrumlinException {
        IniFile file = this;
        Entry old = sections.getOrDefault(section, Map.of()).get(key);
        while (old != null) {
            List<String> kept = new ArrayList<>(file.lines);
            kept.subList(old.firstLine, old.lastLine + 1).clear();
            file = parse(String.join("\n", kept), "the changed file");
            old = file.sections.getOrDefault(section, Map.of()).get(key);
        }
        return file;
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
        return rest.substring(IniScanner.valueEnd(rest)).stripTrailing();
    }

    /**
     * Returns the content.
     *
     * @return the text, one character per byte
     */
    public String text() {
        return String.join("\n", lines);
    }

    /**
     * Writes sections like the dump of C FTI's library, with quotes around values that need them.
     *
     * @param sections values by key, by section
     * @return the file's content
     * @throws IllegalArgumentException a value has a line break, a NUL or a character above 0xFF, or has both quotes
     *     and needs them, or is longer than a line
     */
    public static String dump(Map<String, Map<String, String>> sections) {
        IniText text = new IniText();
        sections.forEach((name, values) -> {
            text.beginSection(name);
            values.forEach(text::define);
            text.endSection();
        });
        text.end();
        return text.toString();
    }
}
