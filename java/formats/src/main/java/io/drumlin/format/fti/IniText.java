package io.drumlin.format.fti;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Text in the style in which C FTI's library dumps an INI file. One character per byte. Not thread-safe. */
final class IniText {

    private static final int KEY_WIDTH = 30;
    private static final String EQUALS = " = ";

    /** Largest number of characters of key and value that fit into a line with everything else. */
    private static final int LONGEST = IniScanner.MAX_LINE - KEY_WIDTH - EQUALS.length() - 2;

    private final StringBuilder text = new StringBuilder();

    void beginSection(String name) {
        text.append("\n[").append(name).append("]\n");
    }

    void define(String key, String value) {
        appendDefinition(text, key, value);
        text.append('\n');
    }

    void define(String key, long value) {
        appendKey(text, key);
        text.append(value).append('\n');
    }

    void endSection() {
        text.append('\n');
    }

    /** Ends the file after the last section. */
    void end() {
        text.append('\n');
    }

    /** Returns a line. */
    static String definition(String key, String value) {
        StringBuilder line = new StringBuilder();
        appendDefinition(line, key, value);
        return line.toString();
    }

    private static void appendDefinition(StringBuilder target, String key, String value) {
        appendKey(target, key);
        target.append(quoted(value));
        if (key.length() + value.length() > LONGEST) {
            throw new IllegalArgumentException(key + " = " + value + " is longer than a line may be");
        }
    }

    private static void appendKey(StringBuilder target, String key) {
        target.append(key);
        if (key.length() < KEY_WIDTH) {
            target.append(" ".repeat(KEY_WIDTH - key.length()));
        }
        target.append(EQUALS);
    }

    /**
     * Returns a value in a form that can be read again. C FTI writes all values without quotes, and so loses a part of
     * those that contain {@code #} or {@code ;}, but it reads quotes.
     */
    private static String quoted(String value) {
        if (value.chars().anyMatch(c -> c == '\n' || c == '\0' || c > 0xFF)) {
            throw new IllegalArgumentException("an INI file cannot hold the value \"" + value + '"');
        }
        if (isBare(value)) {
            return value;
        }
        char quote = value.indexOf('"') < 0 ? '"' : '\'';
        if (value.indexOf(quote) >= 0) {
            throw new IllegalArgumentException("an INI file cannot hold a value with both quotes: " + value);
        }
        return quote + value + quote;
    }

    private static boolean isBare(String value) {
        return value.isEmpty()
                || (value.charAt(0) != '"'
                        && value.charAt(0) != '\''
                        && !value.endsWith("\\")
                        && value.strip().length() == value.length()
                        && IniScanner.valueEnd(value) == value.length());
    }

    /** Returns the number of characters held here. */
    int length() {
        return text.length();
    }

    /** Moves the held text to the target. */
    void drainTo(OutputStream target) throws IOException {
        target.write(toString().getBytes(StandardCharsets.ISO_8859_1));
        text.setLength(0);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
