package io.drumlin.cli.base;

import io.drumlin.internal.Printable;
import java.io.PrintWriter;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A table in aligned columns. The rows are generated twice, for their widths and for printing, and never stored. */
public final class Table {

    private static final String INDENT = "  ";

    private final String[] headings;
    private final boolean[] left;

    /** Makes a table. Columns are aligned to the right, except those whose heading begins with {@code <}. */
    public Table(String... headings) {
        this.headings = headings.clone();
        this.left = new boolean[headings.length];
        for (int i = 0; i < headings.length; i++) {
            left[i] = headings[i].startsWith("<");
            this.headings[i] = left[i] ? headings[i].substring(1) : headings[i];
        }
    }

    public void print(PrintWriter out, Supplier<Stream<Object[]>> rows) {
        int[] widths = new int[headings.length];
        widen(widths, headings);
        rows.get().forEach(row -> widen(widths, row));
        print(out, widths, headings);
        rows.get().forEach(row -> print(out, widths, row));
    }

    /** Names in files may have line breaks, and worse. */
    private static String cell(Object value) {
        return Printable.text(String.valueOf(value));
    }

    private static void widen(int[] widths, Object[] row) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], cell(row[i]).length());
        }
    }

    private void print(PrintWriter out, int[] widths, Object[] row) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cell(row[i]);
            String padding = " ".repeat(widths[i] - cell.length());
            line.append(INDENT).append(left[i] ? cell + padding : padding + cell);
        }
        out.println(line.toString().stripTrailing());
    }
}
