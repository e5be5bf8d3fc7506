package io.drumlin.format.hdf5;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;

/**
 * A type without parts.
 *
 * @param typeClass class of the type
 * @param bits bits of the class, without those that describe unused bits
 * @param properties positions of the bits of a number, as in the message; empty for other classes
 */
record ScalarType(int typeClass, int bits, int size, ByteBuffer properties) implements Datatype {

    static final int FIXED_POINT = 0;
    static final int FLOATING_POINT = 1;
    static final int STRING = 3;
    static final int OPAQUE = 5;

    static final int INTEGER_PROPERTIES = 4;
    static final int FLOAT_PROPERTIES = 12;

    /** A string with NULs up to its end. */
    static final int FILLED_UP = 0x01;

    static final int BIG_ENDIAN = 0x01;
    static final int SIGNED = 0x08;
    /** The bits that are kept for an integer; those of its padding are not. */
    static final int INTEGER_BITS = BIG_ENDIAN | SIGNED;
    /** The bits that are kept for a floating point number: byte order, normalization, position of the sign. */
    static final int FLOAT_BITS = 0xFF71;

    static final ScalarType IEEE32 = floating(4, 0x1F20, 32, new int[] {23, 8, 0, 23}, 127);
    static final ScalarType IEEE64 = floating(8, 0x3F20, 64, new int[] {52, 11, 0, 52}, 1023);
    static final ScalarType EXTENDED80 = floating(16, 0x4F00, 80, new int[] {64, 15, 0, 64}, 16383);

    ScalarType {
        properties = properties.slice().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * @param fields position and size of the exponent, then of the mantissa
     */
    private static ScalarType floating(int size, int bits, int precision, int[] fields, int bias) {
        ByteBuffer properties = ByteBuffer.allocate(FLOAT_PROPERTIES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) 0)
                .putShort((short) precision);
        for (int field : fields) {
            properties.put((byte) field);
        }
        return new ScalarType(
                FLOATING_POINT, bits, size, properties.putInt(bias).flip());
    }

    @Override
    public Optional<String> difference(Datatype here) {
        return differenceOf(this, here);
    }

    @Override
    public String toString() {
        String order = isNumber() && (bits & BIG_ENDIAN) != 0 ? ", big endian" : "";
        return switch (typeClass) {
            case FIXED_POINT -> (isSigned() ? "signed" : "unsigned") + " integer of " + significant() + order;
            case FLOATING_POINT -> "floating point of " + significant() + order + encoding();
            case STRING -> "string of " + size + " bytes";
            default -> "opaque of " + size + " bytes";
        };
    }

    /** Returns the difference between types that have no parts to compare. */
    static Optional<String> differenceOf(Object there, Object here) {
        return there.equals(here) ? Optional.empty() : Optional.of(there + " there, and " + here + " here");
    }

    private boolean isNumber() {
        return typeClass == FIXED_POINT || typeClass == FLOATING_POINT;
    }

    private boolean isSigned() {
        return (bits & SIGNED) != 0;
    }

    private String significant() {
        int first = Short.toUnsignedInt(properties.getShort(0));
        int precision = Short.toUnsignedInt(properties.getShort(2));
        String padded = precision == size * Byte.SIZE ? "" : " in " + size + " bytes";
        return precision + " bits" + padded + (first == 0 ? "" : " from bit " + first + " on");
    }

    /**
     * Returns the properties that distinguish a floating point type from others of its size, unless it is a common one.
     */
    private String encoding() {
        ScalarType little = new ScalarType(typeClass, bits & ~BIG_ENDIAN, size, properties);
        if (little.equals(IEEE32) || little.equals(IEEE64) || little.equals(EXTENDED80)) {
            return "";
        }
        byte[] copy = new byte[properties.remaining()];
        properties.get(0, copy);
        return String.format(
                Locale.ROOT, ", encoded as %06x %s", bits, HexFormat.of().formatHex(copy));
    }
}
