package io.drumlin.format.hdf5;

import io.drumlin.format.hdf5.Datatype.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes datatype messages: version 1 for numbers, 2 for arrays and compounds. */
public final class DatatypeWriter {

    /** Largest size of a message in bytes. */
    static final int MOST_BYTES = 0xFFF8;

    private static final int HEAD = 8;

    private DatatypeWriter() {}

    /**
     * Returns the message.
     *
     * @param type the type
     * @return its message, from position 0 on
     */
    public static ByteBuffer encoding(Datatype type) {
        ByteBuffer message = ByteBuffer.allocate(Math.toIntExact(bytes(type))).order(ByteOrder.LITTLE_ENDIAN);
        put(message, type);
        return message.flip();
    }

    /**
     * Returns the size of the message.
     *
     * @param type the type
     * @return number of bytes
     */
    public static long bytes(Datatype type) {
        if (type instanceof CompoundType compound) {
            return compound.members().stream()
                            .mapToLong(each -> (long) padded(each.name()) + Integer.BYTES + bytes(each.type()))
                            .sum()
                    + HEAD;
        }
        if (type instanceof ArrayType array) {
            return (long) HEAD + Integer.BYTES + 8L * array.dimensions().size() + bytes(array.element());
        }
        return (long) HEAD + ((ScalarType) type).properties().remaining();
    }

    private static void put(ByteBuffer message, Datatype type) {
        if (type instanceof CompoundType compound) {
            putHead(message, 2, CompoundType.CLASS, compound.members().size(), type.size());
            compound.members().forEach(member -> putMember(message, member));
        } else if (type instanceof ArrayType array) {
            putHead(message, 2, ArrayType.CLASS, 0, type.size());
            putArray(message, array);
        } else {
            ScalarType scalar = (ScalarType) type;
            putHead(message, 1, scalar.typeClass(), scalar.bits(), type.size());
            message.put(scalar.properties().duplicate());
        }
    }

    private static void putHead(ByteBuffer message, int version, int typeClass, int bits, int size) {
        message.putInt(version << 4 | typeClass | bits << 8).putInt(size);
    }

    private static void putMember(ByteBuffer message, Member member) {
        int end = message.position() + padded(member.name());
        message.put(member.name().getBytes(StandardCharsets.UTF_8)).position(end);
        put(message.putInt(member.offset()), member.type());
    }

    private static void putArray(ByteBuffer message, ArrayType array) {
        int rank = array.dimensions().size();
        message.putInt(rank);
        array.dimensions().forEach(dimension -> message.putInt(Math.toIntExact(dimension)));
        for (int i = 0; i < rank; i++) {
            message.putInt(i);
        }
        put(message, array.element());
    }

    /**
     * Returns the size of a name with the NUL after it, padded to a multiple of 8 bytes.
     *
     * @param name the name
     * @return number of bytes
     */
    public static int padded(String name) {
        return (name.getBytes(StandardCharsets.UTF_8).length + 8) / 8 * 8;
    }
}
