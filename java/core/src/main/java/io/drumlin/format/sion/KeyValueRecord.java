package io.drumlin.format.sion;

/**
 * A record in the stream of a task in key/value mode; docs/formats/sion.md, section 7.
 *
 * @param key unsigned
 * @param offset where the value begins in the stream
 * @param length bytes of the value
 */
public record KeyValueRecord(long key, long offset, long length) {

    /** Bytes in front of each value. */
    public static final int HEADER_LENGTH = 2 * Long.BYTES;

    /**
     * Where the record ends.
     *
     * @return position in the stream
     */
    public long end() {
        return offset + length;
    }
}
