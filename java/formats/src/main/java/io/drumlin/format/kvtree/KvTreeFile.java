package io.drumlin.format.kvtree;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * A kvtree in a file (docs/formats/kvtree.md, section 2).
 *
 * @param tree the content
 * @param flags bit 0 is {@link #CRC}; others have no meaning and are kept
 * @param length size in bytes of header, tree and CRC; any following bytes of the file do not belong to the tree
 */
public record KvTreeFile(KvTree tree, int flags, int length) {

    /** The flag for a trailing CRC32. */
    public static final int CRC = 1;

    /** Largest number of nodes on a path that is read or written; SCR needs about ten. */
    public static final int MAX_DEPTH = 1000;

    /** Bytes before the tree. */
    static final int HEADER = 20;

    /** Magic number, type 1 (a tree), version 1. */
    private static final long MAGIC_TYPE_VERSION = 0x951fc3f5_0001_0001L;

    private static final int MAGIC = (int) (MAGIC_TYPE_VERSION >>> 32);

    /** Largest length of an array in Java. */
    private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

    /** Offset of the length of the file. */
    private static final int LENGTH_OFFSET = 8;

    /**
     * Returns whether bytes begin like a kvtree file, of any version.
     *
     * @param source the bytes
     * @return also false if there are too few bytes
     * @throws IOException the source cannot be read
     */
    public static boolean isRecognised(ByteSource source) throws IOException {
        return source.size() >= Integer.BYTES && read(source, Integer.BYTES).getInt(0) == MAGIC;
    }

    /**
     * Reads a tree. Equal keys of one node are merged. An empty source is an empty tree, as in the C library. Input
     * that the C library accepts unchecked, such as a count beyond the end, is refused.
     *
     * @param source bytes of a file; the memory is bounded by their number
     * @return the tree
     * @throws FormatException the bytes are not a kvtree of this version, or are damaged
     * @throws IOException the source cannot be read
     */
    public static KvTreeFile read(ByteSource source) throws IOException {
        if (source.size() == 0) {
            return new KvTreeFile(new KvTree(), CRC, 0);
        }
        int length = length(source);
        byte[] bytes = read(source, length).array();
        int flags = ByteBuffer.wrap(bytes).getInt(16);
        int end = length - (flags & CRC) * Integer.BYTES;
        if (end < HEADER) {
            throw damaged("size", LENGTH_OFFSET, length + " bytes have no room for the CRC that the flags promise");
        }
        if ((flags & CRC) != 0) {
            checkCrc(bytes, end);
        }
        return new KvTreeFile(new Unpacker(bytes, HEADER, end).unpack(), flags, length);
    }

    private static int length(ByteSource source) throws IOException {
        if (source.size() < HEADER) {
            throw damaged("header", 0, "only " + source.size() + " bytes of " + HEADER);
        }
        ByteBuffer header = read(source, HEADER);
        if (header.getInt(0) != MAGIC) {
            throw damaged("magic", 0, hex(header.getInt(0)) + " is not " + hex(MAGIC));
        }
        if (header.getLong(0) != MAGIC_TYPE_VERSION) {
            throw damaged(
                    "type",
                    4,
                    "type " + header.getShort(4) + ", version " + header.getShort(6) + "; known is type 1, version 1");
        }
        long length = header.getLong(LENGTH_OFFSET);
        if (length < HEADER || length > source.size()) {
            throw damaged(
                    "size",
                    LENGTH_OFFSET,
                    Long.toUnsignedString(length) + " is not between " + HEADER + " and the " + source.size()
                            + " bytes there are");
        }
        if (length > MAX_LENGTH) {
            throw damaged(
                    "size", LENGTH_OFFSET, length + " is more than the " + MAX_LENGTH + " bytes that can be read");
        }
        return (int) length;
    }

    private static void checkCrc(byte[] bytes, int end) throws FormatException {
        int stored = ByteBuffer.wrap(bytes).getInt(end);
        int computed = crc(bytes, end);
        if (stored != computed) {
            throw damaged("CRC", end, hex(stored) + ", but the bytes before it have " + hex(computed));
        }
    }

    /**
     * Writes a tree like the C library, with a CRC.
     *
     * @param tree the content
     * @return the bytes of a file
     * @throws IllegalArgumentException the tree cannot be written: more than 2 GiB, deeper than {@link #MAX_DEPTH}, or
     *     a key contains U+0000
     */
    public static ByteBuffer encode(KvTree tree) {
        return encode(tree, CRC);
    }

    /**
     * Writes a tree.
     *
     * @param tree the content
     * @param flags with or without {@link #CRC}
     * @return the bytes of a file
     * @throws IllegalArgumentException the tree cannot be written
     */
    public static ByteBuffer encode(KvTree tree, int flags) {
        int trailer = (flags & CRC) * Integer.BYTES;
        byte[] bytes = new Packer(HEADER).pack(tree, trailer);
        ByteBuffer file = ByteBuffer.wrap(bytes);
        file.putLong(MAGIC_TYPE_VERSION).putLong(bytes.length).putInt(flags);
        if (trailer > 0) {
            int end = bytes.length - trailer;
            file.putInt(end, crc(bytes, end));
        }
        return file.rewind();
    }

    private static int crc(byte[] bytes, int end) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, end);
        return (int) crc.getValue();
    }

    private static ByteBuffer read(ByteSource source, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        source.readFully(0, bytes);
        return bytes.rewind();
    }

    static FormatException damaged(String field, long offset, String problem) {
        return new FormatException("kvtree", new Finding(field, offset, problem));
    }

    private static String hex(int value) {
        return String.format(Locale.ROOT, "0x%08x", value);
    }
}
