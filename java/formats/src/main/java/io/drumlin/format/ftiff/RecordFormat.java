package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * The positions of fields in one kind of record. Records are little-endian buffers that begin at position 0. Immutable.
 */
final class RecordFormat {

    /** The result of {@link #get} for a field that the record lacks. */
    static final long ABSENT = -1;

    private static final String PADDING = "-";

    /** The position of a field that the record has. */
    private record Span(int offset, int length) {}

    private final Map<Field, Span> spans = new EnumMap<>(Field.class);
    private final int length;

    /**
     * Parses a table such as {@code id:4 hascontent:1 -:3 dptr:8}: names and sizes in bytes, in file order. A name -
     * means padding.
     */
    RecordFormat(String table) {
        int end = 0;
        for (String entry : table.split(" ", -1)) {
            int colon = entry.indexOf(':');
            String name = entry.substring(0, colon);
            int bytes = Integer.parseInt(entry.substring(colon + 1));
            if (!name.equals(PADDING)) {
                spans.put(Field.of(name), new Span(end, bytes));
            }
            end += bytes;
        }
        this.length = end;
    }

    /** Returns the size of the record in bytes. */
    int length() {
        return length;
    }

    boolean has(Field field) {
        return spans.containsKey(field);
    }

    /** Returns the position of a field that the record has. */
    int offset(Field field) {
        return span(field).offset;
    }

    /** Returns the size in bytes of a field that the record has. */
    int length(Field field) {
        return span(field).length;
    }

    private Span span(Field field) {
        Span span = spans.get(field);
        if (span == null) {
            throw new IllegalArgumentException("the record has no " + field.label());
        }
        return span;
    }

    /** Returns the signed number in a field, or {@link #ABSENT}. */
    long get(ByteBuffer record, Field field) {
        Span span = spans.get(field);
        if (span == null) {
            return ABSENT;
        }
        return switch (span.length) {
            case Byte.BYTES -> record.get(span.offset);
            case Integer.BYTES -> record.getInt(span.offset);
            case Long.BYTES -> record.getLong(span.offset);
            default -> throw new IllegalArgumentException(field.label() + " is not a number");
        };
    }

    /** Stores a number, unless the record has no such field. Refuses a number that does not fit. */
    void put(ByteBuffer record, Field field, long value) {
        Span span = spans.get(field);
        if (span == null) {
            return;
        }
        switch (span.length) {
            case Byte.BYTES -> record.put(span.offset, (byte) value);
            case Integer.BYTES -> {
                if (value != (int) value) {
                    throw new IllegalArgumentException(
                            field.label() + " is " + value + ", which does not fit into the 32 bits of this layout");
                }
                record.putInt(span.offset, (int) value);
            }
            case Long.BYTES -> record.putLong(span.offset, value);
            default -> throw new IllegalArgumentException(field.label() + " is not a number");
        }
    }

    /** Returns the bytes of a field that the record has. */
    byte[] bytes(ByteBuffer record, Field field) {
        byte[] bytes = new byte[length(field)];
        record.get(offset(field), bytes);
        return bytes;
    }

    /** Returns the bytes of a field that the record has, in hexadecimal. */
    String hex(ByteBuffer record, Field field) {
        return HexFormat.of().formatHex(bytes(record, field));
    }

    void putHex(ByteBuffer record, Field field, String digits) {
        record.put(offset(field), HexFormat.of().parseHex(digits));
    }
}
