package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * The layouts of FTI-FF as far as their file records tell them apart, in the order in which they are tried;
 * docs/formats/fti-ff.md, section 2.
 */
public enum Layout {
    /** C FTI's head since July 2021. */
    F("F", true, 106, new Fields(101, 4, 8, 53, 61, 69, 77, 85, 93)),
    /** C FTI v1.3 and v1.4, whose file records are the same. */
    C_OR_D("C or D", true, 110, new Fields(101, 8, 8, 53, 61, 69, 77, 85, 93)),
    /** C FTI v1.4.1 to v1.6. */
    E("E", true, 82, new Fields(77, 4, 4, 53, 57, 61, 65, 69, 73)),
    /** C FTI v1.1, the layout of its documentation. */
    A("A", false, 96, new Fields(88, 8, 8, 56, Fields.NONE, Fields.NONE, 64, 72, 80)),
    /** C FTI v1.2. */
    B("B", false, 90, new Fields(81, 8, 8, 49, Fields.NONE, Fields.NONE, 57, 65, 73));

    private static final int CHECKSUM_LENGTH = 33;
    private static final int MY_HASH = 33;
    private static final int DIGEST_LENGTH = 16;

    private final String label;
    private final boolean atEnd;
    private final int fileMetaLength;

    @SuppressWarnings("ImmutableEnumChecker") // a record of ints
    private final Fields fields;

    Layout(String label, boolean atEnd, int fileMetaLength, Fields fields) {
        this.label = label;
        this.atEnd = atEnd;
        this.fileMetaLength = fileMetaLength;
        this.fields = fields;
    }

    /** Where the fields of the file record are that its digest covers. */
    private record Fields(
            int timestamp,
            int timestampLength,
            int sizeLength,
            int ckptSize,
            int metaSize,
            int dataSize,
            int fs,
            int maxFs,
            int ptFs) {

        static final int NONE = -1;
    }

    /**
     * The letter of the layout in docs/formats/fti-ff.md.
     *
     * @return for example {@code F}
     */
    public String label() {
        return label;
    }

    /**
     * Bytes of the file record.
     *
     * @return bytes
     */
    public int fileMetaLength() {
        return fileMetaLength;
    }

    /**
     * Whether the file record of a plain file is at its end. Encoded files have it there in every layout.
     *
     * @return false in the layouts that begin with it
     */
    public boolean atEnd() {
        return atEnd;
    }

    /** The field {@code fs} of the record, which begins at position 0 of the little-endian buffer. */
    long fs(ByteBuffer record) {
        return fields.sizeLength == Long.BYTES ? record.getLong(fields.fs) : record.getInt(fields.fs);
    }

    /** What {@code myHash} has to be for this record, which begins at position 0 of the buffer. */
    byte[] recordDigest(ByteBuffer record) {
        MessageDigest md5 = Digests.md5();
        md5.update(record.slice(0, CHECKSUM_LENGTH));
        md5.update(record.slice(fields.timestamp, fields.timestampLength));
        // The order of the digest, not that of the record.
        for (int size :
                new int[] {fields.ckptSize, fields.metaSize, fields.dataSize, fields.fs, fields.ptFs, fields.maxFs}) {
            if (size != Fields.NONE) {
                md5.update(record.slice(size, fields.sizeLength));
            }
        }
        return md5.digest();
    }

    /** Whether the record, which begins at position 0 of the buffer, carries its own digest. */
    boolean signed(ByteBuffer record) {
        byte[] stored = new byte[DIGEST_LENGTH];
        record.get(MY_HASH, stored);
        return MessageDigest.isEqual(stored, recordDigest(record));
    }
}
