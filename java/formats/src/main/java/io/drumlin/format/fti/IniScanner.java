package io.drumlin.format.fti;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file in the INI dialect of C FTI, definition by definition (docs/formats/fti-run-directory.md, section 4). It
 * needs no more memory than one line, however large the file. Texts have one character per byte. Not thread-safe.
 */
final class IniScanner {

    /** C FTI reads lines into a buffer of 1024 bytes. */
    static final int MAX_LINE = 1023;

    /** That of UTF-8, one character for each byte. */
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";

    private final ByteSource source;
    private final String format;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).limit(0);
    private long read;
    private int lines;

    private int firstLine;
    private long offset;
    private String section = "";
    private @Nullable String key;
    private String value = "";

    /**
     * Starts at the first byte.
     *
     * @param format the kind of file, for messages
     */
    IniScanner(ByteSource source, String format) {
        this.source = source;
        this.format = format;
    }

    /**
     * Moves to the next section header or definition.
     *
     * @return false at the end of the file
     * @throws FormatException a line is neither section, definition, comment nor empty, or is too long
     * @throws IOException the bytes cannot be read
     */
    boolean next() throws IOException {
        for (String line = logicalLine(); line != null; line = logicalLine()) {
            if (firstLine == 0 && line.startsWith(BYTE_ORDER_MARK)) {
                throw syntaxError("a byte order mark (EF BB BF) before the first letter; an editor has put it there:"
                        + " save the file without it");
            }
            if (line.isEmpty() || line.charAt(0) == '#' || line.charAt(0) == ';') {
                continue;
            }
            if (line.charAt(0) == '[') {
                readHeader(line);
            } else {
                readDefinition(line);
            }
            return true;
        }
        return false;
    }

    private void readHeader(String line) throws FormatException {
        int end = line.indexOf(']');
        if (end < 0) {
            throw syntaxError("section without a closing bracket: " + line);
        }
        section = line.substring(1, end).strip().toLowerCase(Locale.ROOT);
        key = null;
    }

    private void readDefinition(String line) throws FormatException {
        int equals = line.indexOf('=');
        if (equals <= 0) {
            throw syntaxError("neither a section, a \"key = value\" nor a comment: " + line);
        }
        key = stripped(line, 0, equals).toLowerCase(Locale.ROOT);
        value = value(stripped(line, equals + 1, line.length()));
    }

    /**
     * Returns a part of a line without surrounding blanks, in a single copy, because metadata can have millions of
     * lines.
     */
    private static String stripped(String line, int start, int end) {
        int first = start;
        int last = end;
        while (first < last && Character.isWhitespace(line.charAt(first))) {
            first++;
        }
        while (first < last && Character.isWhitespace(line.charAt(last - 1))) {
            last--;
        }
        return line.substring(first, last);
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

    /** Returns the start of a comment after an unquoted value. */
    static int valueEnd(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '#' || text.charAt(i) == ';') {
                return i;
            }
        }
        return text.length();
    }

    /**
     * Returns the next line, joined with those that a backslash appends to it, stripped; null at the end of the file.
     */
    private @Nullable String logicalLine() throws IOException {
        firstLine = lines;
        offset = read - buffer.remaining();
        String line = line();
        if (line == null) {
            return null;
        }
        String joined = line.stripTrailing();
        while (joined.endsWith("\\")) {
            String more = line();
            joined = joined.substring(0, joined.length() - 1) + (more == null ? "" : more.strip());
            if (joined.length() > MAX_LINE) {
                throw tooLong();
            }
        }
        return joined.strip();
    }

    private @Nullable String line() throws IOException {
        byte[] bytes = buffer.array();
        int scanned = 0;
        while (true) {
            int start = buffer.position();
            for (int i = start + scanned; i < buffer.limit(); i++) {
                if (bytes[i] == '\n') {
                    buffer.position(i + 1);
                    return text(bytes, start, i);
                }
            }
            scanned = buffer.remaining();
            if (scanned > MAX_LINE) {
                throw tooLong();
            }
            if (read == source.size()) {
                buffer.position(buffer.limit());
                return scanned == 0 ? null : text(bytes, start, start + scanned);
            }
            fill();
        }
    }

    private String text(byte[] bytes, int start, int end) throws FormatException {
        if (end - start > MAX_LINE) {
            throw tooLong();
        }
        lines++;
        return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
    }

    private void fill() throws IOException {
        buffer.compact();
        buffer.limit((int) Math.min(buffer.capacity(), buffer.position() + source.size() - read));
        int length = buffer.remaining();
        source.readFully(read, buffer);
        read += length;
        buffer.flip();
    }

    private FormatException tooLong() {
        return syntaxError("line longer than " + MAX_LINE + " characters");
    }

    private FormatException syntaxError(String problem) {
        return new FormatException(format, new Finding("line " + (firstLine + 1), offset, problem));
    }

    /** Returns the section of the header or definition, in lower case; empty before the first header. */
    String section() {
        return section;
    }

    /** Returns the key in lower case; null at a section header. */
    @Nullable
    String key() {
        return key;
    }

    /** Returns the value without quotes and comment. */
    String value() {
        return value;
    }

    /** Returns the byte position of the header or definition. */
    long offset() {
        return offset;
    }

    /** Returns the line, from 0, on which the header or definition begins. */
    int firstLine() {
        return firstLine;
    }

    /** Returns the line, from 0, on which it ends. */
    int lastLine() {
        return lines - 1;
    }
}
