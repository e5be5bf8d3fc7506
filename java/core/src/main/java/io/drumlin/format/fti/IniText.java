package io.drumlin.format.fti;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Text in the way in which the library of C FTI dumps an INI file. One character per byte. Not thread-safe. */
final class IniText {

    private static final int KEY_WIDTH = 30;
    private static final String EQUALS = " = ";

    private final StringBuilder text = new StringBuilder();

    void beginSection(String name) {
        text.append("\n[").append(name).append("]\n");
    }

    void define(String key, String value) {
        appendDefinition(text, key, value);
        text.append('\n');
    }

    void define(String key, long value) {
        define(key, Long.toString(value));
    }

    void endSection() {
        text.append('\n');
    }

    /** Behind the last section. */
    void end() {
        text.append('\n');
    }

    /** A line. */
    static String definition(String key, String value) {
        StringBuilder line = new StringBuilder();
        appendDefinition(line, key, value);
        return line.toString();
    }

    private static void appendDefinition(StringBuilder target, String key, String value) {
        target.append(key);
        if (key.length() < KEY_WIDTH) {
            target.append(" ".repeat(KEY_WIDTH - key.length()));
        }
        target.append(EQUALS).append(value);
    }

    /** Characters that are kept here. */
    int length() {
        return text.length();
    }

    /** Moves what is here to the target. */
    void drainTo(OutputStream target) throws IOException {
        target.write(toString().getBytes(StandardCharsets.ISO_8859_1));
        text.setLength(0);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
