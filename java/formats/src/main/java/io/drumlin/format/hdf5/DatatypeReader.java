package io.drumlin.format.hdf5;

import io.drumlin.format.FormatException;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.hdf5.Datatype.Member;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads datatype messages. */
public final class DatatypeReader {

    /** Largest depth of nested types. */
    private static final int MOST_DEPTH = 64;

    private static final int MOST_DIMENSIONS = 32;

    /** Number of dimensions of a member in version 1. */
    private static final int MOST_MEMBER_DIMENSIONS = 4;

    private DatatypeReader() {}

    /**
     * Reads a datatype message, as the library encodes a type.
     *
     * @param message the message, without the bytes that tell its type and size
     * @return the type
     * @throws FormatException the message is damaged, or of a class that no checkpoint has
     * @throws IOException must not happen
     */
    public static Datatype decode(ByteBuffer message) throws IOException {
        return read(Window.of(new MemoryByteSource(message), "datatype", 0, message.remaining()));
    }

    static Datatype read(Window message) throws FormatException {
        return read(message, 0);
    }

    private static Datatype read(Window message, int depth) throws FormatException {
        long at = message.offset();
        if (depth > MOST_DEPTH) {
            throw Window.wrong("datatype", at, "it has more than " + MOST_DEPTH + " types within types");
        }
        int versionAndClass = message.u8("datatype class");
        int bits = message.u8("datatype bits") | message.u16("datatype bits") << 8;
        long size = message.u32("datatype size");
        if (size == 0 || size > Integer.MAX_VALUE) {
            throw Window.wrong("datatype size", at, "is " + size);
        }
        int version = versionAndClass >> 4;
        int typeClass = versionAndClass & 0x0F;
        return switch (typeClass) {
            case ScalarType.FIXED_POINT ->
                scalar(message, typeClass, bits & ScalarType.INTEGER_BITS, size, ScalarType.INTEGER_PROPERTIES);
            case ScalarType.FLOATING_POINT ->
                scalar(message, typeClass, bits & ScalarType.FLOAT_BITS, size, ScalarType.FLOAT_PROPERTIES);
            case ScalarType.STRING -> scalar(message, typeClass, bits, size, 0);
            case ScalarType.OPAQUE -> scalar(message.skip("tag", bits & 0xFF), typeClass, 0, size, 0);
            case CompoundType.CLASS -> compound(message, version, bits & 0xFFFF, size, depth);
            case ArrayType.CLASS -> array(message, version, size, depth);
            default ->
                throw Window.otherKind("datatype class", at, "is " + typeClass + ", which no checkpoint of FTI has");
        };
    }

    private static Datatype scalar(Window message, int typeClass, int bits, long size, int properties)
            throws FormatException {
        return new ScalarType(typeClass, bits, (int) size, ByteBuffer.wrap(message.bytes("datatype", properties)));
    }

    private static Datatype compound(Window message, int version, int count, long size, int depth)
            throws FormatException {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long nameAt = message.offset();
            String name = message.text("name of a member");
            if (version < 3) {
                message.skip("name of a member", (int) (7 - (message.offset() - nameAt + 7) % 8));
            }
            long offset = version < 3 ? message.u32("offset of a member") : shortOffset(message, size);
            List<Long> dimensions = version == 1 ? memberDimensions(message) : List.of();
            Datatype type = read(message, depth + 1);
            if (!dimensions.isEmpty()) {
                type = array(type, dimensions, nameAt);
            }
            if (offset > size - type.size()) {
                throw Window.wrong(
                        "offset of a member", nameAt, "it ends at " + (offset + type.size()) + ", behind the " + size);
            }
            members.add(new Member(name, (int) offset, type));
        }
        return new CompoundType((int) size, members);
    }

    /** Reads an offset with as many bytes as the size of the compound needs. */
    private static long shortOffset(Window message, long size) throws FormatException {
        long offset = 0;
        int bytes = (64 - Long.numberOfLeadingZeros(size) + 7) / 8;
        for (int i = 0; i < bytes; i++) {
            offset |= (long) message.u8("offset of a member") << (8 * i);
        }
        return offset;
    }

    /** Reads the dimensions of a member. Since version 2, arrays have dimensions of their own. */
    private static List<Long> memberDimensions(Window message) throws FormatException {
        int rank = message.u8("dimensions of a member");
        if (rank > MOST_MEMBER_DIMENSIONS) {
            throw Window.wrong("dimensions of a member", message.offset() - 1, "is " + rank);
        }
        message.skip("dimensions of a member", 11);
        List<Long> dimensions = dimensions(message, rank);
        message.skip("dimensions of a member", 4 * (MOST_MEMBER_DIMENSIONS - rank));
        return dimensions;
    }

    private static List<Long> dimensions(Window message, int rank) throws FormatException {
        List<Long> dimensions = new ArrayList<>();
        for (int i = 0; i < rank; i++) {
            dimensions.add(message.u32("dimension of an array"));
        }
        return dimensions;
    }

    private static Datatype array(Window message, int version, long size, int depth) throws FormatException {
        long at = message.offset();
        int rank = message.u8("dimensions of an array");
        if (rank > MOST_DIMENSIONS) {
            throw Window.wrong("dimensions of an array", at, "is " + rank);
        }
        message.skip("array", version < 3 ? 3 : 0);
        List<Long> dimensions = dimensions(message, rank);
        message.skip("array", version < 3 ? 4 * rank : 0);
        Datatype made = array(read(message, depth + 1), dimensions, at);
        if (made.size() != size) {
            throw Window.wrong("datatype size", at, "is " + size + ", and that of " + made + " is " + made.size());
        }
        return made;
    }

    private static Datatype array(Datatype element, List<Long> dimensions, long at) throws FormatException {
        try {
            return new ArrayType(element, dimensions);
        } catch (ArithmeticException e) {
            throw Window.wrong("dimensions of an array", at, "are " + dimensions);
        }
    }
}
