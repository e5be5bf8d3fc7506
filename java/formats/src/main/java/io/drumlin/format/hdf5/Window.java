package io.drumlin.format.hdf5;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A part of a file with a cursor. It checks that everything read is within the part. Not thread-safe. */
final class Window {

    private final long start;
    private final ByteBuffer bytes;

    private Window(long start, ByteBuffer bytes) {
        this.start = start;
        this.bytes = bytes;
    }

    /**
     * Reads a part of a file.
     *
     * @param what its name, for messages
     * @throws FormatException the part is not within the file
     */
    static Window of(ByteSource file, String what, long offset, long length) throws IOException {
        if (offset < 0 || length < 0 || length > Integer.MAX_VALUE || offset > file.size() - length) {
            throw wrong(what, offset, length + " bytes from there are not within the " + file.size() + " of the file");
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
        file.readFully(offset, bytes);
        return new Window(offset, bytes.clear());
    }

    static FormatException wrong(String field, long offset, String problem) {
        return new FormatException("HDF5", new Finding(field, Math.max(offset, 0), problem));
    }

    /** Returns the exception for a part of the format that this package does not read. */
    static FormatException unsupported(String field, long offset, String problem) {
        return new UnsupportedFeatureException(new Finding(field, Math.max(offset, 0), problem), true);
    }

    /** Returns the exception for a part of the format that is whole, but that no checkpoint has. */
    static FormatException otherKind(String field, long offset, String problem) {
        return new UnsupportedFeatureException(new Finding(field, Math.max(offset, 0), problem));
    }

    /** Returns the next bytes as a separate part. */
    Window part(String what, int length) throws FormatException {
        need(what, length);
        Window part = new Window(offset(), bytes.slice(bytes.position(), length).order(ByteOrder.LITTLE_ENDIAN));
        bytes.position(bytes.position() + length);
        return part;
    }

    private void need(String what, int length) throws FormatException {
        if (length < 0 || length > bytes.remaining()) {
            throw wrong(what, offset(), "it has " + length + " bytes and " + bytes.remaining() + " are left");
        }
    }

    /** Returns the offset of the cursor in the file. */
    long offset() {
        return start + bytes.position();
    }

    int remaining() {
        return bytes.remaining();
    }

    Window skip(String what, int length) throws FormatException {
        need(what, length);
        bytes.position(bytes.position() + length);
        return this;
    }

    byte[] bytes(String what, int length) throws FormatException {
        need(what, length);
        byte[] copy = new byte[length];
        bytes.get(copy);
        return copy;
    }

    int u8(String what) throws FormatException {
        need(what, 1);
        return Byte.toUnsignedInt(bytes.get());
    }

    int u16(String what) throws FormatException {
        need(what, 2);
        return Short.toUnsignedInt(bytes.getShort());
    }

    long u32(String what) throws FormatException {
        need(what, 4);
        return Integer.toUnsignedLong(bytes.getInt());
    }

    /** Reads a number of 64 bits that fits into 63, as every number that a file can hold does. */
    long u64(String what) throws FormatException {
        long value = address(what);
        if (value < 0) {
            throw wrong(what, offset() - 8, "is " + Long.toUnsignedString(value) + ", which is too large");
        }
        return value;
    }

    /** Reads a number of 64 bits; -1 is the undefined address. */
    long address(String what) throws FormatException {
        need(what, 8);
        return bytes.getLong();
    }

    /** Checks a signature or version. */
    void expect(String what, byte... expected) throws FormatException {
        long at = offset();
        for (byte each : expected) {
            if (u8(what) != Byte.toUnsignedInt(each)) {
                throw wrong(what, at, "it is not that of an HDF5 file of the first format");
            }
        }
    }

    /** Reads the text from a position in this part up to the next NUL. The cursor moves past it. */
    String text(String what, long at) throws FormatException {
        if (at >= bytes.limit()) {
            throw wrong(what, start, "is at " + at + " of " + bytes.limit() + " bytes");
        }
        bytes.position((int) at);
        return text(what);
    }

    /** Reads the text up to the next NUL. */
    String text(String what) throws FormatException {
        int end = bytes.position();
        while (end < bytes.limit() && bytes.get(end) != 0) {
            end++;
        }
        if (end == bytes.limit()) {
            throw wrong(what, offset(), "it has no end");
        }
        byte[] text = new byte[end - bytes.position()];
        bytes.get(text).get();
        return new String(text, StandardCharsets.UTF_8);
    }
}
