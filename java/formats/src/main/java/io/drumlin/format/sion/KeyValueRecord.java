package io.drumlin.format.sion;

/**
 * A record in the stream of a task in key/value mode; docs/formats/sion.md, section 7.
 *
 * @param key unsigned
 * @param offset offset of the value in the stream
 * @param length size of the value in bytes
 */
public record KeyValueRecord(long key, long offset, long length) {

    /** Number of bytes before each value. */
    public static final int HEADER_LENGTH = 2 * Long.BYTES;

    /**
     * Returns the end of the record.
     *
     * @return position in the stream
     */
    public long end() {
        return offset + length;
    }
}
