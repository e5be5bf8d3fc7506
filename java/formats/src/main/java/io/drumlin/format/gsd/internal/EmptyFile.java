package io.drumlin.format.gsd.internal;

import java.nio.ByteBuffer;

/** A file without names and chunks; docs/formats/gsd.md, section 6. */
public final class EmptyFile {

    /** Number of slots of the index block. */
    static final int INDEX_ENTRIES = 128;

    /** Size of the name block in units of 64 bytes. */
    static final int NAMELIST_ENTRIES = 16;

    /** Size of the name block in files of version 1.0: slots. */
    static final int NAMELIST_SLOTS = 128;

    /** Length in bytes of a file of version 2.x. */
    public static final int BYTES =
            Header.BYTES + INDEX_ENTRIES * IndexEntry.BYTES + NAMELIST_ENTRIES * Header.NAME_UNIT;

    private EmptyFile() {}

    /**
     * Returns the whole file.
     *
     * @param header made by {@link Header#create} or {@link Header#emptied}
     * @return the bytes up to the end of the name block
     */
    public static ByteBuffer encode(Header header) {
        long end = header.namelistLocation() + header.namelistAllocatedEntries() * Header.NAME_UNIT;
        return ByteBuffer.allocate((int) end).put(header.encode()).rewind();
    }
}
