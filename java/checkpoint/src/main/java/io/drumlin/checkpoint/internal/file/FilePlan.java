package io.drumlin.checkpoint.internal.file;

import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.DigestEngine;
import io.drumlin.integrity.Md5Lanes;
import java.io.IOException;
import java.util.List;

/** The plan of a rank's checkpoint file before it is written. */
public interface FilePlan {

    /**
     * A range of the file with its own digest.
     *
     * @param start byte offset in the file
     * @param length bytes, above 0
     * @param room bytes from {@code start} in which no other content begins; {@code length} or more
     */
    record Chunk(long start, long length, long room) {}

    /** Returns the bytes of the file, which are complete after {@link #seal}. */
    ByteSource image();

    /** Returns the size of the file in bytes. */
    default long size() {
        return image().size();
    }

    /** Returns the ranges that are written and digested first, in file order. */
    List<Chunk> chunks();

    /**
     * Completes the image.
     *
     * @param digests MD5 of each of {@link #chunks()}
     * @param partnerSize at level 2, bytes of the file whose copy this node keeps; otherwise -1
     * @param encodedSize at level 3, bytes of the encoded part of each Reed-Solomon file of the group; otherwise -1
     * @return the pieces to write besides the chunks
     */
    List<Piece> seal(List<byte[]> digests, long partnerSize, long encodedSize) throws IOException;

    /**
     * Sets where the bytes were written in a file of all ranks, in the modes that have one. Their digest is a striped
     * MD5.
     *
     * @param start byte offset
     */
    default void placeAt(long start) {
        throw new IllegalStateException("this mode has no file of all ranks");
    }

    /**
     * Asks for a striped MD5 of the whole file besides, if the metadata of the mode have a place for it.
     *
     * @param plainLater whether the plain MD5 of the file may be left to {@link #setDigest}
     */
    default void addStripedDigest(boolean plainLater) {}

    /** Returns whether the file was sealed without its plain MD5. */
    default boolean lacksDigest() {
        return false;
    }

    /**
     * Sets what the file {@link #lacksDigest lacks}.
     *
     * @param md5 MD5 of all bytes of the file, lower-case hexadecimal
     */
    default void setDigest(String md5) {
        throw new IllegalStateException("this mode has no digest of the whole file");
    }

    /** Makes the lanes that digest {@link #chunks}, for one writing; the caller closes them. */
    default Md5Lanes lanes() {
        return DigestEngine.md5();
    }

    /** Returns how the file enters a Reed-Solomon group. */
    Encoding encoding();

    /** Returns the description of the written file; valid after {@link #seal}. */
    StoredFile stored();
}
