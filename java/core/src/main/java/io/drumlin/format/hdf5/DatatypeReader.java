package io.drumlin.format.hdf5;

import io.drumlin.format.FormatException;

/** Reads datatype messages: how large an element is, and that its bytes are those of memory on a little-endian machine. */
final class DatatypeReader {

    /** Types within types. */
    private static final int MOST_DEPTH = 64;

    private static final int MOST_DIMENSIONS = 32;

    private DatatypeReader() {}

    /** Returns the bytes of an element. */
    static int size(Window message) throws FormatException {
        return read(message, 0);
    }

    private static int read(Window message, int depth) throws FormatException {
        long at = message.offset();
        if (depth > MOST_DEPTH) {
            throw Window.wrong("datatype", at, "it has more than " + MOST_DEPTH + " types within types");
        }
        int versionAndClass = message.u8("datatype class");
        int bits = message.u8("datatype bits");
        int moreBits = message.u16("datatype bits");
        long size = message.u32("datatype size");
        if (size == 0 || size > Integer.MAX_VALUE) {
            throw Window.wrong("datatype size", at, "is " + size);
        }
        int version = versionAndClass >> 4;
        switch (versionAndClass & 0x0F) {
            case Datatype.FIXED_POINT -> {
                requireLittleEndian(bits, at);
                message.skip("datatype", 4);
            }
            case Datatype.FLOATING_POINT -> {
                requireLittleEndian(bits, at);
                message.skip("datatype", 12);
            }
            case Datatype.STRING -> {}
            case Datatype.OPAQUE -> message.skip("datatype", bits);
            case Datatype.COMPOUND -> readMembers(message, version, bits | (moreBits & 0xFF) << 8, size, depth);
            case Datatype.ARRAY -> readArray(message, version, depth);
            default ->
                throw Window.wrong(
                        "datatype class", at, "is " + (versionAndClass & 0x0F) + ", which no checkpoint of FTI has");
        }
        return (int) size;
    }

    private static void requireLittleEndian(int bits, long at) throws FormatException {
        if ((bits & 0x41) != 0) {
            throw Window.wrong("datatype", at, "its byte order is not little endian");
        }
    }

    private static void readMembers(Window message, int version, int count, long size, int depth)
            throws FormatException {
        for (int i = 0; i < count; i++) {
            long nameAt = message.offset();
            message.text("name of a member");
            if (version < 3) {
                message.skip("name of a member", (int) (7 - (message.offset() - nameAt + 7) % 8));
            }
            long offset = version < 3 ? message.u32("offset of a member") : shortOffset(message, size);
            if (version == 1) {
                // Dimensions, which arrays have of their own since.
                message.skip("dimensions of a member", 28);
            }
            long end = offset + (long) read(message, depth + 1);
            if (end > size) {
                throw Window.wrong("offset of a member", nameAt, "it ends at " + end + ", behind the " + size);
            }
        }
    }

    /** As many bytes as the size of the compound needs. */
    private static long shortOffset(Window message, long size) throws FormatException {
        long offset = 0;
        int bytes = (64 - Long.numberOfLeadingZeros(size) + 7) / 8;
        for (int i = 0; i < bytes; i++) {
            offset |= (long) message.u8("offset of a member") << (8 * i);
        }
        return offset;
    }

    private static void readArray(Window message, int version, int depth) throws FormatException {
        int rank = message.u8("dimensions of an array");
        if (rank > MOST_DIMENSIONS) {
            throw Window.wrong("dimensions of an array", message.offset() - 1, "is " + rank);
        }
        message.skip("array", version < 3 ? 3 + 8 * rank : 4 * rank);
        read(message, depth + 1);
    }
}
