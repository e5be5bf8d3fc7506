package io.drumlin.cli.inspect;

import io.drumlin.cli.file.ElementStream;
import io.drumlin.cli.file.ValueType;
import io.drumlin.cli.file.ValueType.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes elements as lines of values with commas. Characters are written as numbers, for they may be commas. */
final class CsvLines extends ElementStream {

    private final ValueType type;
    private final long columns;
    private final OutputStream target;
    private long column;

    CsvLines(ValueType type, long columns, OutputStream target) {
        super(type.size());
        this.type = type.kind() == Kind.CHARACTER ? new ValueType(Kind.UNSIGNED, 1) : type;
        this.columns = columns;
        this.target = target;
    }

    @Override
    protected void element(ByteBuffer bytes, int at) throws IOException {
        column++;
        boolean last = column == columns;
        String text = type.text(bytes, at) + (last ? "\n" : ",");
        target.write(text.getBytes(StandardCharsets.US_ASCII));
        column = last ? 0 : column;
    }
}
