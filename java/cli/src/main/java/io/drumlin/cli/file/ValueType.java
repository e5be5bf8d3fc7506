package io.drumlin.cli.file;

import io.drumlin.cli.base.CommandException;
import io.drumlin.cli.base.ExitCode;
import io.drumlin.format.hdf5.Datatype;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The type of the elements of stored data, little-endian.
 *
 * @param kind how the bytes of an element are read
 * @param size bytes of an element, 1 or more
 */
public record ValueType(Kind kind, int size) {

    /** How the bytes of an element are read. */
    public enum Kind {
        SIGNED("i"),
        UNSIGNED("u"),
        FLOAT("f"),
        CHARACTER("S"),
        /** The meaning of the bytes is unknown. */
        OPAQUE("V");

        private final String letter;

        Kind(String letter) {
            this.letter = letter;
        }
    }

    /** Bytes of which nothing is known. */
    public static final ValueType BYTES = new ValueType(Kind.OPAQUE, 1);

    /** Largest element that is kept in memory. */
    public static final int MOST_BYTES = 1 << 16;

    private static final int LONG_DOUBLE = 16;
    private static final int MANTISSA_BITS = 63;
    private static final int BIAS = 16383;
    private static final int SIGN_BIT = 0x8000;

    /** The types that have names: those of C and Java, and those of NumPy. */
    private enum Name {
        BYTE(Kind.SIGNED, 1, "byte", "int8"),
        UBYTE(Kind.UNSIGNED, 1, "ubyte", "uint8"),
        SHORT(Kind.SIGNED, 2, "short", "int16"),
        USHORT(Kind.UNSIGNED, 2, "ushort", "uint16"),
        INT(Kind.SIGNED, 4, "int", "int32"),
        UINT(Kind.UNSIGNED, 4, "uint", "uint32"),
        LONG(Kind.SIGNED, 8, "long", "int64"),
        ULONG(Kind.UNSIGNED, 8, "ulong", "uint64"),
        FLOAT(Kind.FLOAT, 4, "float", "float32"),
        DOUBLE(Kind.FLOAT, 8, "double", "float64"),
        LONGDOUBLE(Kind.FLOAT, LONG_DOUBLE, "longdouble", "longdouble"),
        CHAR(Kind.CHARACTER, 1, "char", "char"),
        RAW(Kind.OPAQUE, 1, "bytes", "bytes");

        private final Kind kind;
        private final int size;
        private final String name;
        private final String ofNumpy;

        Name(Kind kind, int size, String name, String ofNumpy) {
            this.kind = kind;
            this.size = size;
            this.name = name;
            this.ofNumpy = ofNumpy;
        }

        ValueType type() {
            return new ValueType(kind, size);
        }

        boolean is(String text) {
            return name.equals(text) || ofNumpy.equals(text);
        }
    }

    /** C FTI's types, by their numbers. */
    private static final List<Name> FTI = List.of(
            Name.BYTE,
            Name.SHORT,
            Name.INT,
            Name.LONG,
            Name.UBYTE,
            Name.USHORT,
            Name.UINT,
            Name.ULONG,
            Name.FLOAT,
            Name.DOUBLE,
            Name.LONGDOUBLE);

    private static final String NAMES =
            Arrays.stream(Name.values()).map(name -> name.name).collect(Collectors.joining(", "));

    /** Returns the type of a name, such as {@code double} or {@code float64}. */
    private static Optional<ValueType> named(String text) {
        return Arrays.stream(Name.values())
                .filter(name -> name.is(text.toLowerCase(Locale.ROOT)))
                .map(Name::type)
                .findFirst();
    }

    /**
     * Returns the type that a user has given.
     *
     * @param text null if none was given
     * @throws CommandException there is no such type
     */
    public static Optional<ValueType> parsed(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        return Optional.of(named(text)
                .orElseThrow(() -> new CommandException(
                        ExitCode.USAGE, "--type " + text + ": there is none of that name; " + NAMES)));
    }

    /** Returns a type of C FTI, or opaque elements of a size if the program has made the type; empty for large ones. */
    public static Optional<ValueType> ofFti(int id, long size) {
        if (id >= 0 && id < FTI.size()) {
            return Optional.of(FTI.get(id).type());
        }
        return size > 0 && size <= MOST_BYTES ? Optional.of(new ValueType(Kind.OPAQUE, (int) size)) : Optional.empty();
    }

    public static ValueType of(io.drumlin.format.gsd.ElementType type) {
        return switch (type) {
            case UINT8, UINT16, UINT32, UINT64 -> new ValueType(Kind.UNSIGNED, type.bytes());
            case INT8, INT16, INT32, INT64 -> new ValueType(Kind.SIGNED, type.bytes());
            case FLOAT, DOUBLE -> new ValueType(Kind.FLOAT, type.bytes());
            case CHARACTER -> new ValueType(Kind.CHARACTER, 1);
        };
    }

    public static ValueType of(Datatype type) {
        if (type.equals(Datatype.ieee32()) || type.equals(Datatype.ieee64()) || type.equals(Datatype.extended80())) {
            return new ValueType(Kind.FLOAT, type.size());
        }
        for (boolean signed : new boolean[] {true, false}) {
            if (type.size() <= Long.BYTES
                    && type.equals(Datatype.integer(type.size(), type.size() * Byte.SIZE, signed))) {
                return new ValueType(signed ? Kind.SIGNED : Kind.UNSIGNED, type.size());
            }
        }
        return type.size() <= MOST_BYTES ? new ValueType(Kind.OPAQUE, type.size()) : BYTES;
    }

    public boolean isFloat() {
        return kind == Kind.FLOAT;
    }

    /** Returns the type for the header of an NPY file. */
    public String numpy() {
        String order = size == 1 || kind == Kind.OPAQUE || kind == Kind.CHARACTER ? "|" : "<";
        return order + kind.letter + size;
    }

    /** Returns an element as a number for errors; long doubles and 64-bit integers are rounded. */
    public double number(ByteBuffer bytes, int at) {
        return switch (kind) {
            case FLOAT ->
                size == Float.BYTES
                        ? bytes.getFloat(at)
                        : size == Double.BYTES ? bytes.getDouble(at) : longDouble(bytes, at);
            case SIGNED -> integer(bytes, at);
            case UNSIGNED, CHARACTER -> unsigned(integer(bytes, at));
            case OPAQUE -> Double.NaN;
        };
    }

    /** Returns the bits of an integer; those of a signed one are extended. */
    public long integer(ByteBuffer bytes, int at) {
        boolean signed = kind == Kind.SIGNED;
        return switch (size) {
            case 1 -> signed ? bytes.get(at) : Byte.toUnsignedLong(bytes.get(at));
            case 2 -> signed ? bytes.getShort(at) : Short.toUnsignedLong(bytes.getShort(at));
            case 4 -> signed ? bytes.getInt(at) : Integer.toUnsignedLong(bytes.getInt(at));
            default -> bytes.getLong(at);
        };
    }

    /** Converts an unsigned number; a large one is halved, keeps its lowest bit for rounding, and is doubled. */
    public static double unsigned(long bits) {
        return bits >= 0 ? bits : ((bits >>> 1) | (bits & 1)) * 2.0;
    }

    /** Converts the 80 bits of x86 to the nearest double. */
    private static double longDouble(ByteBuffer bytes, int at) {
        long mantissa = bytes.getLong(at);
        int top = Short.toUnsignedInt(bytes.getShort(at + Long.BYTES));
        int exponent = top & ~SIGN_BIT;
        double size;
        if (exponent == SIGN_BIT - 1) {
            size = mantissa << 1 == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        } else {
            // The limit is far below the smallest double.
            size = Math.scalb(unsigned(mantissa), Math.max(exponent - BIAS - MANTISSA_BITS, -4000));
        }
        return (top & SIGN_BIT) == 0 ? size : -size;
    }

    /** Returns whether a NaN in floating point does not signal. */
    public boolean isQuiet(ByteBuffer bytes, int at) {
        return switch (size) {
            case Float.BYTES -> (bytes.getInt(at) & 1 << 22) != 0;
            case Double.BYTES -> (bytes.getLong(at) & 1L << 51) != 0;
            default -> (bytes.getLong(at) & 1L << 62) != 0;
        };
    }

    /** Returns an element as people read it, without control characters. */
    public String text(ByteBuffer bytes, int at) {
        return switch (kind) {
            case FLOAT -> size == Float.BYTES ? Float.toString(bytes.getFloat(at)) : Double.toString(number(bytes, at));
            case SIGNED -> Long.toString(integer(bytes, at));
            case UNSIGNED -> Long.toUnsignedString(integer(bytes, at));
            case CHARACTER -> character(bytes.get(at));
            case OPAQUE -> hex(bytes, at);
        };
    }

    private static String character(byte code) {
        if (code < ' ' || code == 0x7f) {
            return String.format(Locale.ROOT, "\\x%02x", code & 0xff);
        }
        return (code == '"' || code == '\\' ? "\\" : "") + (char) code;
    }

    private String hex(ByteBuffer bytes, int at) {
        byte[] element = new byte[size];
        bytes.get(at, element);
        return HexFormat.of().formatHex(element);
    }

    /** Makes a buffer for elements. */
    public static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public String toString() {
        return Arrays.stream(Name.values())
                .filter(name -> name.type().equals(this))
                .map(name -> name.name)
                .findFirst()
                .orElse("elements of " + size + " bytes");
    }
}
