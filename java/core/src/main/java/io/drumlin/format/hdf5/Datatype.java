package io.drumlin.format.hdf5;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The type of an element as a datatype message describes it; docs/formats/fti-hdf5.md, section 4. Little endian. Immutable.
 *
 * @param encoding the message; not to be changed
 * @param size bytes of an element
 */
public record Datatype(ByteBuffer encoding, int size) {

    static final int FIXED_POINT = 0;
    static final int FLOATING_POINT = 1;
    static final int STRING = 3;
    static final int OPAQUE = 5;
    static final int COMPOUND = 6;
    static final int ENUMERATION = 8;
    static final int ARRAY = 10;

    /** Bytes that a message can have. */
    private static final int MOST_BYTES = 0xFFF8;

    /**
     * A part of a compound.
     *
     * @param name not empty
     * @param offset in bytes from the beginning of the compound
     * @param type of the part
     */
    public record Member(String name, int offset, Datatype type) {}

    /** A message whose head is written. */
    private static ByteBuffer head(int bytes, int version, int typeClass, int bits, int size) {
        return ByteBuffer.allocate(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(version << 4 | typeClass | bits << 8)
                .putInt(size);
    }

    private static Datatype finished(ByteBuffer message, int size) {
        return new Datatype(message.flip().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN), size);
    }

    /**
     * A whole number.
     *
     * @param size bytes, above 0
     * @param precision bits from the lowest on that have a meaning
     * @param signed whether it is in two's complement
     * @return its type
     */
    public static Datatype integer(int size, int precision, boolean signed) {
        ByteBuffer message = head(12, 1, FIXED_POINT, signed ? 0x08 : 0, size);
        return finished(message.putShort((short) 0).putShort((short) precision), size);
    }

    /**
     * {@code float} of C.
     *
     * @return IEEE 754 with 32 bits
     */
    public static Datatype ieee32() {
        return floating(4, 0x1F20, 32, new int[] {23, 8, 0, 23}, 127);
    }

    /**
     * {@code double} of C.
     *
     * @return IEEE 754 with 64 bits
     */
    public static Datatype ieee64() {
        return floating(8, 0x3F20, 64, new int[] {52, 11, 0, 52}, 1023);
    }

    /**
     * {@code long double} of C on x86-64.
     *
     * @return 80 bits in 16 bytes
     */
    public static Datatype extended80() {
        return floating(16, 0x4F00, 80, new int[] {64, 15, 0, 64}, 16383);
    }

    /** @param fields place and size of the exponent, then of the mantissa */
    private static Datatype floating(int size, int bits, int precision, int[] fields, int bias) {
        ByteBuffer message =
                head(20, 1, FLOATING_POINT, bits, size).putShort((short) 0).putShort((short) precision);
        for (int field : fields) {
            message.put((byte) field);
        }
        return finished(message.putInt(bias), size);
    }

    /**
     * Several elements as one.
     *
     * @param element type of each
     * @param dimensions 1 to 32, each 1 or more
     * @return the type of all
     * @throws ArithmeticException they are 2 GiB or more
     */
    public static Datatype array(Datatype element, List<Long> dimensions) {
        long count = dimensions.stream().reduce(1L, Math::multiplyExact);
        int size = Math.toIntExact(Math.multiplyExact(count, element.size));
        int rank = dimensions.size();
        ByteBuffer message = head(12 + 8 * rank + element.encoding.remaining(), 2, ARRAY, 0, size);
        message.putInt(rank);
        dimensions.forEach(dimension -> message.putInt(Math.toIntExact(dimension)));
        for (int i = 0; i < rank; i++) {
            message.putInt(i);
        }
        return finished(message.put(element.encoding.duplicate()), size);
    }

    /**
     * A struct.
     *
     * @param size bytes of it
     * @param members 1 or more, within the size
     * @return its type
     * @throws IllegalArgumentException there are no members, two have one name, or the names are too long for a message
     */
    public static Datatype compound(int size, List<Member> members) {
        long names = members.stream().map(Member::name).distinct().count();
        if (members.isEmpty() || names < members.size()) {
            throw new IllegalArgumentException(
                    members.isEmpty() ? "it has no fields" : "two of its fields have the same name");
        }
        long bytes = 8;
        for (Member member : members) {
            bytes += padded(member.name) + 4 + member.type.encoding.remaining();
        }
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException("its description has " + bytes + " bytes, more than " + MOST_BYTES);
        }
        ByteBuffer message = head((int) bytes, 2, COMPOUND, members.size(), size);
        for (Member member : members) {
            int end = message.position() + padded(member.name);
            message.put(member.name.getBytes(StandardCharsets.UTF_8)).position(end);
            message.putInt(member.offset).put(member.type.encoding.duplicate());
        }
        return finished(message, size);
    }

    /** Bytes of a name with the NUL behind it, filled up to a multiple of 8. */
    static int padded(String name) {
        return (name.getBytes(StandardCharsets.UTF_8).length + 8) / 8 * 8;
    }
}
