package io.drumlin.format.sion;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The part of the first metadata block, META1, that describes the whole physical file; docs/formats/sion.md, section 2.
 *
 * @param order byte order of all metadata
 * @param bigEndianPayload the byte order of the data according to the writer; bytes are never swapped because of it
 * @param version 1000 times the major plus the minor version of the library that wrote the file
 * @param patchLevel patch level of that library
 * @param formatVersion version of the file format
 * @param fsBlockSize size in bytes to which chunks are aligned
 * @param files number of physical files of the set
 * @param fileNumber number of this file
 * @param flag1 key/value mode in the upper half
 * @param flag2 without meaning
 * @param prefix name of the file as its writer gave it, the same in all files of a set
 */
public record Header(
        ByteOrder order,
        boolean bigEndianPayload,
        int version,
        int patchLevel,
        int formatVersion,
        int fsBlockSize,
        int files,
        int fileNumber,
        long flag1,
        long flag2,
        String prefix) {

    /** Version of the file format that is written. */
    public static final int FORMAT_VERSION = 5;

    /** Largest size of a name in bytes; one more byte of the field ends it. */
    public static final int MAX_PREFIX = 1023;

    private static final byte[] MAGIC = {'s', 'i', 'o', 'n'};

    /** Size of the field of the name in bytes. */
    public static final int PREFIX_BYTES = MAX_PREFIX + 1;

    /** Number of bytes before the task arrays. */
    public static final int LENGTH = 52 + PREFIX_BYTES;

    /** Number of bytes before the task arrays in version 2 of the format, which has no filenumber and no flags. */
    public static final int LENGTH_OF_FORMAT_2 = 32 + PREFIX_BYTES;

    /** Mode of a file of plain byte streams. */
    public static final int PLAIN = 50;
    /** Mode of a file of records with keys. */
    public static final int KEY_VALUE = 51;

    /** Version of C SIONlib whose files are written: 1000 times the first number plus the second. */
    public static final int VERSION = 1007;

    /** The third number of that version. */
    public static final int PATCH_LEVEL = 6;

    /**
     * Makes the header that C SIONlib 1.7.6 writes.
     *
     * @param order byte order of all metadata
     * @param bigEndianPayload the byte order of the data, for readers
     * @param keyValue whether the tasks hold records with keys
     * @param fsBlockSize block size in bytes, above 0
     * @param files number of physical files of the set
     * @param fileNumber number of this file
     * @param prefix name of the first file, at most {@link #MAX_PREFIX} bytes in UTF-8
     * @return the header
     */
    public static Header of(
            ByteOrder order,
            boolean bigEndianPayload,
            boolean keyValue,
            int fsBlockSize,
            int files,
            int fileNumber,
            String prefix) {
        long flag1 = (long) (keyValue ? KEY_VALUE : PLAIN) << Integer.SIZE;
        return new Header(
                order,
                bigEndianPayload,
                VERSION,
                PATCH_LEVEL,
                FORMAT_VERSION,
                fsBlockSize,
                files,
                fileNumber,
                flag1,
                0,
                prefix);
    }

    /**
     * Returns the bytes with which every file begins.
     *
     * @return a new array
     */
    public static byte[] magic() {
        return MAGIC.clone();
    }

    /**
     * Returns whether the tasks hold records with keys.
     *
     * @return false for plain byte streams
     */
    public boolean keyValue() {
        return (int) (flag1 >>> Integer.SIZE) == KEY_VALUE;
    }

    /**
     * Appends the header to a buffer.
     *
     * @param target a buffer of the byte order of the metadata
     * @param tasks number of tasks in the file
     */
    public void put(ByteBuffer target, int tasks) {
        target.put(MAGIC).put(endianness());
        target.putInt(version).putInt(patchLevel).putInt(formatVersion).putInt(fsBlockSize);
        target.putInt(tasks).putInt(files).putInt(fileNumber).putLong(flag1).putLong(flag2);
        byte[] name = prefix.getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_PREFIX) {
            throw new IllegalArgumentException(
                    "the file name has " + name.length + " bytes, allowed are " + MAX_PREFIX + ": " + prefix);
        }
        target.put(name).put(new byte[PREFIX_BYTES - name.length]);
    }

    /** Returns a palindromic word: the metadata order outside, the payload order inside. */
    private byte[] endianness() {
        byte metadata = (byte) (order == ByteOrder.BIG_ENDIAN ? 1 : 0);
        byte payload = (byte) (bigEndianPayload ? 1 : 0);
        return new byte[] {metadata, payload, payload, metadata};
    }
}
