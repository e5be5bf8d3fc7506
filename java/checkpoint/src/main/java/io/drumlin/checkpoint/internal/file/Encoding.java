package io.drumlin.checkpoint.internal.file;

import java.nio.ByteBuffer;

/** How the files of an I/O mode enter a Reed-Solomon group (docs/formats/fti-ff.md, section 7). */
public interface Encoding {

    /** Returns whether the last 8 bytes of each extended file hold its size without extension. */
    boolean embedsSize();

    /**
     * Returns the size to which all files of a group are extended with zeros if the largest has {@code largest} bytes.
     */
    default long extendedSize(long largest) {
        return embedsSize() ? largest + Long.BYTES : largest;
    }

    /**
     * Returns the record that follows the encoded bytes in a Reed-Solomon file.
     *
     * @param md5 MD5 of the encoded bytes, lower-case hexadecimal
     * @param plainSize bytes of this rank's plain file
     * @param extendedSize bytes of the encoded part
     * @return the record; empty if the digest is kept elsewhere
     */
    ByteBuffer record(String md5, long plainSize, long extendedSize);
}
