package io.drumlin.cli.base;

import io.drumlin.internal.Printable;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Forwards the characters that a terminal shows. Control characters, which a terminal would obey, are escaped. JSON
 * uses the same escapes.
 */
public final class TerminalWriter extends FilterWriter {

    private TerminalWriter(Writer target) {
        super(target);
    }

    /** Returns the writer to which commands print, in place of {@code target}. */
    public static PrintWriter of(PrintWriter target) {
        return new PrintWriter(new TerminalWriter(target), true);
    }

    /** Surrogate pairs may come one half at a time. */
    private static boolean passes(char character) {
        return character == '\n'
                || character == '\t'
                || Character.isSurrogate(character)
                || Printable.isVisible(character);
    }

    @Override
    public void write(int character) throws IOException {
        char one = (char) character;
        if (passes(one)) {
            out.write(one);
        } else {
            out.write(Printable.escaped(one));
        }
    }

    @Override
    public void write(char[] buffer, int offset, int length) throws IOException {
        write(String.valueOf(buffer, offset, length), 0, length);
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
        int start = offset;
        for (int i = offset; i < offset + length; i++) {
            if (!passes(text.charAt(i))) {
                out.write(text, start, i - start);
                out.write(Printable.escaped(text.charAt(i)));
                start = i + 1;
            }
        }
        out.write(text, start, offset + length - start);
    }
}
