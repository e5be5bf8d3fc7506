package io.drumlin.format.gsd.internal;

import io.drumlin.format.Finding;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.internal.FindingSink;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The location and content of a chunk; docs/formats/gsd.md, section 3. The fields are as they were read. Only the
 * methods that say so check them.
 *
 * @param frame its frame, unsigned
 * @param rows N, unsigned
 * @param location byte offset of the data; 0 in an unused slot
 * @param columns M, 0 to 2^32 - 1
 * @param id number of the name
 * @param type number of the element type
 * @param flags 0
 */
public record IndexEntry(long frame, long rows, long location, long columns, int id, int type, int flags) {

    /** Length in bytes. */
    public static final int BYTES = 32;

    /** The positions of the fields in an entry. */
    private enum Field {
        FRAME("frame", 0),
        ROWS("N", 8),
        LOCATION("location", 16),
        COLUMNS("M", 24),
        ID("id", 28),
        TYPE("type", 30),
        FLAGS("flags", 31);

        private final String label;
        private final int offset;

        Field(String label, int offset) {
            this.label = label;
            this.offset = offset;
        }
    }

    /**
     * The limits against which the entries of a file are checked.
     *
     * @param fileSize size of the file in bytes
     * @param allocatedEntries number of slots of the index
     * @param names number of names
     */
    public record Limits(long fileSize, long allocatedEntries, int names) {}

    /**
     * Reads an entry.
     *
     * @param bytes little-endian bytes
     * @param offset the offset of the entry in {@code bytes}
     * @return the entry
     */
    static IndexEntry decode(ByteBuffer bytes, int offset) {
        return new IndexEntry(
                bytes.getLong(offset + Field.FRAME.offset),
                bytes.getLong(offset + Field.ROWS.offset),
                bytes.getLong(offset + Field.LOCATION.offset),
                Integer.toUnsignedLong(bytes.getInt(offset + Field.COLUMNS.offset)),
                Short.toUnsignedInt(bytes.getShort(offset + Field.ID.offset)),
                Byte.toUnsignedInt(bytes.get(offset + Field.TYPE.offset)),
                Byte.toUnsignedInt(bytes.get(offset + Field.FLAGS.offset)));
    }

    /**
     * Returns whether the slot holds an entry.
     *
     * @return false if the location is 0
     */
    public boolean isUsed() {
        return location != 0;
    }

    /**
     * Returns the type of the elements.
     *
     * @return empty if there is no such type
     */
    public Optional<ElementType> elementType() {
        return ElementType.of(type);
    }

    /**
     * Makes the checks that the C library makes when it meets an entry, with its arithmetic: sums and products are
     * unsigned 64-bit numbers and may wrap.
     *
     * @param limits the limits of the file
     * @param slot number of the entry
     * @param offset the offset of the entry in the file
     * @throws FormatException the first field that is wrong
     */
    void checkAsReference(Limits limits, long slot, long offset) throws FormatException {
        Finding finding = finding(limits, slot, offset);
        if (finding != null) {
            throw new FormatException(GsdMetadata.FORMAT, finding);
        }
        long end = location + rows * columns * elementType().orElseThrow().bytes();
        if (Long.compareUnsigned(end, limits.fileSize()) > 0) {
            throw new FormatException(GsdMetadata.FORMAT, endFinding(limits.fileSize(), slot, offset));
        }
    }

    /**
     * Checks everything that one entry alone can show, strictly: the data must be within the file and after the header.
     *
     * @param limits the limits of the file
     * @param slot number of the entry
     * @param offset the offset of the entry in the file
     * @param problems receives the first field that is wrong
     * @return whether nothing is wrong
     * @throws FormatException thrown by {@code problems}
     */
    public boolean check(Limits limits, long slot, long offset, FindingSink problems) throws FormatException {
        Finding finding = finding(limits, slot, offset);
        if (finding == null) {
            finding = dataFinding(limits.fileSize(), slot, offset);
        }
        if (finding != null) {
            problems.add(finding);
        }
        return finding == null;
    }

    /**
     * Checks the fields that reading the data needs: the type, and that the data are within the file and after the
     * header. The C library also ignores the other fields of an entry that it has found.
     *
     * @param limits the limits of the file
     * @param slot number of the entry
     * @param offset the offset of the entry in the file
     * @throws FormatException the first field that is wrong
     */
    public void checkData(Limits limits, long slot, long offset) throws FormatException {
        Finding finding = typeFinding(slot, offset);
        if (finding == null) {
            finding = dataFinding(limits.fileSize(), slot, offset);
        }
        if (finding != null) {
            throw new FormatException(GsdMetadata.FORMAT, finding);
        }
    }

    /**
     * Checks the field that the name of the chunk needs.
     *
     * @param limits the limits of the file
     * @param slot number of the entry
     * @param offset the offset of the entry in the file
     * @throws FormatException there is no name with its id
     */
    public void checkName(Limits limits, long slot, long offset) throws FormatException {
        Finding finding = nameFinding(limits, slot, offset);
        if (finding != null) {
            throw new FormatException(GsdMetadata.FORMAT, finding);
        }
    }

    private @Nullable Finding nameFinding(Limits limits, long slot, long offset) {
        return id < limits.names()
                ? null
                : finding(Field.ID, slot, offset, "is " + id + ", but there are " + limits.names() + " names");
    }

    private @Nullable Finding finding(Limits limits, long slot, long offset) {
        Finding finding = typeFinding(slot, offset);
        if (finding != null) {
            return finding;
        }
        if (Long.compareUnsigned(frame, limits.allocatedEntries()) >= 0) {
            return finding(
                    Field.FRAME,
                    slot,
                    offset,
                    "is " + Long.toUnsignedString(frame) + ", allowed less than the " + limits.allocatedEntries()
                            + " entries that are allocated");
        }
        finding = nameFinding(limits, slot, offset);
        if (finding != null) {
            return finding;
        }
        return flags == 0 ? null : finding(Field.FLAGS, slot, offset, "is " + flags + ", allowed 0");
    }

    private @Nullable Finding typeFinding(long slot, long offset) {
        return elementType().isPresent()
                ? null
                : finding(Field.TYPE, slot, offset, "is " + type + ", allowed 1 to " + ElementType.values().length);
    }

    private @Nullable Finding dataFinding(long fileSize, long slot, long offset) {
        if (columns == 0) {
            return finding(Field.COLUMNS, slot, offset, "is 0, allowed 1 or more");
        }
        // The C library reads data in the header, too.
        if (location < 1 || location > fileSize) {
            return finding(Field.LOCATION, slot, offset, "is " + location + ", allowed 1 to " + fileSize);
        }
        // The number of columns is below 2^32, and an element has at most 8 bytes.
        long rowBytes = columns * elementType().orElseThrow().bytes();
        return Long.compareUnsigned(rows, (fileSize - location) / rowBytes) > 0
                ? endFinding(fileSize, slot, offset)
                : null;
    }

    /** Blames the rows if they would not fit anywhere, else the location. */
    private Finding endFinding(long fileSize, long slot, long offset) {
        long most = columns == 0 ? -1 : (fileSize - Header.BYTES) / rowBytes();
        return finding(
                Long.compareUnsigned(rows, most) > 0 ? Field.ROWS : Field.LOCATION,
                slot,
                offset,
                "is such that " + Long.toUnsignedString(rows) + " x " + columns + " elements at " + location
                        + " are not within the " + fileSize + " bytes of the file");
    }

    private static Finding finding(Field field, long slot, long offset, String problem) {
        return new Finding(field.label, offset + field.offset, "of index entry " + slot + " " + problem);
    }

    /**
     * Returns the size of a row.
     *
     * @return M times the size of an element; valid only for an entry that was checked
     */
    public long rowBytes() {
        return columns * elementType().orElseThrow().bytes();
    }
}
