package io.drumlin.cli.inspect;

import io.drumlin.cli.file.ElementStream;
import io.drumlin.cli.file.StoredData;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.file.ValueType.Kind;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Prints elements as lines with indices: a line for each row of the last dimension; of one dimension, a line for each
 * element. Long output is cut: only the first and last lines, and of long lines the first and last elements, are kept
 * until {@link #finish}.
 */
final class ShownLines extends ElementStream {

    /** Lines at the beginning, and as many at the end. */
    private static final int LINES = 10;

    /** Elements at the beginning of a line, and as many at its end. */
    private static final int ELEMENTS = 4;

    private static final int BYTES_IN_LINE = 16;
    private static final int CHARACTERS_IN_LINE = 64;

    private final ValueType type;
    private final List<Long> shape;
    private final long columns;
    private final long first;
    private final long end;
    private final boolean all;
    private final PrintWriter out;

    /** Lines that are printed at the end, because their digest is not known yet. */
    private final List<String> kept = new ArrayList<>();

    private final StringBuilder line = new StringBuilder();
    private long index;

    /**
     * @param data typed data with rows
     * @param all whether to print everything at once
     */
    ShownLines(StoredData data, boolean all, PrintWriter out) {
        super(data.elementType().size());
        type = data.elementType();
        shape = data.shape();
        columns = columns();
        first = data.rows().map(rows -> rows.from() * data.rowElements()).orElse(0L);
        end = data.rows().map(rows -> rows.to() * data.rowElements()).orElse(data.elements());
        index = first;
        this.all = all;
        this.out = out;
    }

    private long columns() {
        if (shape.size() > 1) {
            return shape.get(shape.size() - 1);
        }
        if (type.kind() == Kind.CHARACTER) {
            return CHARACTERS_IN_LINE;
        }
        return type.equals(ValueType.BYTES) ? BYTES_IN_LINE : 1;
    }

    private boolean isText() {
        return type.kind() == Kind.CHARACTER;
    }

    @Override
    protected void element(ByteBuffer bytes, int at) {
        long number = (index - first) / columns;
        long lines = (end - first + columns - 1) / columns;
        long column = (index - first) % columns;
        boolean inside = all || number < LINES || number >= lines - LINES;
        if (inside && column == 0) {
            line.append("  ").append(indices()).append(isText() ? " \"" : "");
        }
        if (inside && (all || isShort() || column < ELEMENTS || column >= columns - ELEMENTS)) {
            line.append(isText() ? "" : " ").append(shortened(type.text(bytes, at)));
        } else if (inside && column == ELEMENTS) {
            line.append(" ...");
        }
        index++;
        if (inside && (column == columns - 1 || index == end)) {
            add(line + (isText() ? "\"" : ""));
            line.setLength(0);
        } else if (!inside && number == LINES && column == 0) {
            add("  ...");
        }
    }

    /** Elements of unknown types may be large. */
    private String shortened(String text) {
        return all || text.length() <= CHARACTERS_IN_LINE ? text : text.substring(0, CHARACTERS_IN_LINE - 3) + "...";
    }

    private boolean isShort() {
        return columns <= 2 * ELEMENTS + 1 || shape.size() == 1;
    }

    private void add(String text) {
        if (all) {
            out.println(text);
        } else {
            kept.add(text);
        }
    }

    /** Returns the indices of the line, for example {@code [3,0]}. */
    private String indices() {
        return indices(
                index, shape.size() > 1 ? shape.subList(0, shape.size() - 1) : shape, shape.size() > 1 ? columns : 1);
    }

    private static String indices(long element, List<Long> dimensions, long perLine) {
        return StoredData.indices(element / perLine, dimensions).stream()
                .map(String::valueOf)
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** Prints what was kept. */
    void finish() {
        kept.forEach(out::println);
        kept.clear();
    }
}
