package io.drumlin.format.gsd.internal;

import io.drumlin.format.ByteSource;
import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The first 256 bytes of a file; docs/formats/gsd.md, section 2. Immutable. Bytes that no method changes, including
 * reserved ones, are kept as they were read.
 */
public final class Header {

    /** Length in bytes. */
    public static final int BYTES = 256;

    /** The unit of the name block's size in bytes. */
    public static final int NAME_UNIT = 64;

    private static final long MAGIC = 0x65DF65DF65DF65DFL;
    private static final int TEXT_BYTES = 64;

    private static final int INDEX_LOCATION = 8;
    private static final int INDEX_ALLOCATED_ENTRIES = 16;
    private static final int NAMELIST_LOCATION = 24;
    private static final int NAMELIST_ALLOCATED_ENTRIES = 32;
    private static final int SCHEMA_VERSION = 40;
    private static final int GSD_VERSION = 44;
    private static final int APPLICATION = 48;
    private static final int SCHEMA = 112;

    private final byte[] array;
    /** The array as a buffer. */
    private final ByteBuffer bytes;

    private Header(byte[] array) {
        this.array = array;
        this.bytes = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Makes the header of an empty file.
     *
     * @param application name of the writing program; 63 bytes of its UTF-8 form are kept
     * @param schema name of the schema, which defines the chunks; 63 bytes of its UTF-8 form are kept
     * @param schemaVersion version of the schema
     * @param version version of the file layer
     * @return a header, followed by the index, then the names
     */
    public static Header create(String application, String schema, Version schemaVersion, Version version) {
        Header header = new Header(new byte[BYTES]);
        header.bytes.putLong(0, MAGIC).putInt(SCHEMA_VERSION, schemaVersion.word());
        header.putText(APPLICATION, application);
        header.putText(SCHEMA, schema);
        return header.emptied(version);
    }

    /**
     * Returns whether a file begins like a GSD file.
     *
     * @param source the whole file
     * @return false if the magic number is missing
     * @throws IOException the source cannot be read
     */
    public static boolean recognises(ByteSource source) throws IOException {
        if (source.size() < Long.BYTES) {
            return false;
        }
        ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        source.readFully(0, magic);
        return magic.getLong(0) == MAGIC;
    }

    /**
     * Reads a header and checks it. The blocks that it names must be within the source.
     *
     * @param source the whole file
     * @return the header
     * @throws FormatException the first field that is wrong
     * @throws IOException the source cannot be read
     */
    public static Header read(ByteSource source) throws IOException {
        if (source.size() < BYTES) {
            throw wrong("magic", 0, "the file has " + source.size() + " bytes, a header has " + BYTES);
        }
        Header header = new Header(new byte[BYTES]);
        source.readFully(0, header.bytes.duplicate());
        header.check(source.size());
        return header;
    }

    private void check(long fileSize) throws FormatException {
        if (bytes.getLong(0) != MAGIC) {
            throw wrong(
                    "magic",
                    0,
                    "is 0x" + Long.toHexString(bytes.getLong(0)) + ", allowed 0x" + Long.toHexString(MAGIC));
        }
        if (!gsdVersion().isReadable()) {
            throw wrong("gsd_version", GSD_VERSION, "is " + gsdVersion() + ", allowed 0.3 and 1.0 to below 3.0");
        }
        checkBlock("namelist", NAMELIST_LOCATION, NAME_UNIT, fileSize);
        checkBlock("index", INDEX_LOCATION, IndexEntry.BYTES, fileSize);
    }

    /** Checks the location of a block, and the number of its units, which is in the next field. */
    private void checkBlock(String block, int field, int unit, long fileSize) throws FormatException {
        long location = bytes.getLong(field);
        long units = bytes.getLong(field + Long.BYTES);
        long most = (fileSize - BYTES) / unit;
        if (units < 1 || units > most) {
            throw wrong(
                    block + "_allocated_entries",
                    field + Long.BYTES,
                    "is " + Long.toUnsignedString(units) + ", allowed 1 to " + most);
        }
        if (location < BYTES || location > fileSize - units * unit) {
            throw wrong(
                    block + "_location",
                    field,
                    "is " + Long.toUnsignedString(location) + ", allowed " + BYTES + " to "
                            + (fileSize - units * unit));
        }
    }

    private static FormatException wrong(String field, long offset, String problem) {
        return new FormatException(GsdMetadata.FORMAT, new Finding(field, offset, problem));
    }

    /**
     * Returns the location of the index block.
     *
     * @return byte offset in the file
     */
    public long indexLocation() {
        return bytes.getLong(INDEX_LOCATION);
    }

    /**
     * Returns the size of the index block.
     *
     * @return number of slots of 32 bytes, used or not
     */
    public long indexAllocatedEntries() {
        return bytes.getLong(INDEX_ALLOCATED_ENTRIES);
    }

    /**
     * Returns the location of the name block.
     *
     * @return byte offset in the file
     */
    public long namelistLocation() {
        return bytes.getLong(NAMELIST_LOCATION);
    }

    /**
     * Returns the size of the name block.
     *
     * @return number of units of 64 bytes
     */
    public long namelistAllocatedEntries() {
        return bytes.getLong(NAMELIST_ALLOCATED_ENTRIES);
    }

    /**
     * Returns the version of the schema.
     *
     * @return the version
     */
    public Version schemaVersion() {
        return Version.of(bytes.getInt(SCHEMA_VERSION));
    }

    /**
     * Returns the version of the file layer.
     *
     * @return the version
     */
    public Version gsdVersion() {
        return Version.of(bytes.getInt(GSD_VERSION));
    }

    /**
     * Returns the name of the program that made the file.
     *
     * @return up to 63 bytes, decoded as UTF-8
     */
    public String application() {
        return text(APPLICATION);
    }

    /**
     * Returns the name of the schema, which defines the chunks.
     *
     * @return up to 63 bytes, decoded as UTF-8
     */
    public String schema() {
        return text(SCHEMA);
    }

    /**
     * Returns this header with another index block.
     *
     * @param location byte offset in the file
     * @param allocatedEntries number of slots
     * @return a new header
     */
    public Header withIndex(long location, long allocatedEntries) {
        Header changed = copy();
        changed.bytes.putLong(INDEX_LOCATION, location).putLong(INDEX_ALLOCATED_ENTRIES, allocatedEntries);
        return changed;
    }

    /**
     * Returns this header with another name block.
     *
     * @param location byte offset in the file
     * @param allocatedEntries number of units of 64 bytes
     * @return a new header
     */
    public Header withNamelist(long location, long allocatedEntries) {
        Header changed = copy();
        changed.bytes.putLong(NAMELIST_LOCATION, location).putLong(NAMELIST_ALLOCATED_ENTRIES, allocatedEntries);
        return changed;
    }

    /**
     * Returns this header with another version of the file layer.
     *
     * @param version the version
     * @return a new header
     */
    public Header withGsdVersion(Version version) {
        Header changed = copy();
        changed.bytes.putInt(GSD_VERSION, version.word());
        return changed;
    }

    /**
     * Returns the header of an empty file of version 2.1 with the same application and schema; reserved bytes become
     * zero, as do bytes after the NUL of a text.
     *
     * @return a new header
     */
    public Header emptied() {
        return emptied(Version.CURRENT);
    }

    private Header emptied(Version version) {
        Header changed = new Header(new byte[BYTES]);
        changed.bytes.put(0, bytes, 0, APPLICATION);
        changed.bytes.put(APPLICATION, array, APPLICATION, textLength(APPLICATION));
        changed.bytes.put(SCHEMA, array, SCHEMA, textLength(SCHEMA));
        long names = BYTES + EmptyFile.INDEX_ENTRIES * (long) IndexEntry.BYTES;
        return changed.withIndex(BYTES, EmptyFile.INDEX_ENTRIES)
                .withNamelist(names, version.hasSlots() ? EmptyFile.NAMELIST_SLOTS : EmptyFile.NAMELIST_ENTRIES)
                .withGsdVersion(version);
    }

    /**
     * Returns the header in the form of the file.
     *
     * @return 256 bytes, which must not be changed
     */
    public ByteBuffer encode() {
        return bytes.asReadOnlyBuffer();
    }

    private Header copy() {
        return new Header(array.clone());
    }

    private void putText(int offset, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        bytes.put(offset, utf8, 0, Math.min(utf8.length, TEXT_BYTES - 1));
    }

    private String text(int offset) {
        return new String(array, offset, textLength(offset), StandardCharsets.UTF_8);
    }

    /** Returns the number of bytes before the NUL. */
    private int textLength(int offset) {
        int length = 0;
        while (length < TEXT_BYTES - 1 && array[offset + length] != 0) {
            length++;
        }
        return length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Header header && Arrays.equals(array, header.array);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(array);
    }
}
