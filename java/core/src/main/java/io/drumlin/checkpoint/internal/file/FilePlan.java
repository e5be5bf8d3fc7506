package io.drumlin.checkpoint.internal.file;

import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import java.io.IOException;
import java.util.List;

/** A checkpoint file of one rank that is to be written. */
public interface FilePlan {

    /**
     * A range of the file that is digested by itself.
     *
     * @param start byte offset in the file
     * @param length bytes, above 0
     * @param room bytes from {@code start} that no other content begins in; {@code length} or more
     */
    record Chunk(long start, long length, long room) {}

    /** The bytes of the file; all of them after {@link #seal}. */
    ByteSource image();

    /** Size of the file in bytes. */
    default long size() {
        return image().size();
    }

    /** What is written and digested first, in file order. */
    List<Chunk> chunks();

    /**
     * Completes the image.
     *
     * @param digests MD5 of each of {@link #chunks()}
     * @param partnerSize at level 2, bytes of the file whose copy this node keeps; otherwise -1
     * @param encodedSize at level 3, bytes of the encoded part of each Reed-Solomon file of the group; otherwise -1
     * @return what is to be written besides the chunks
     */
    List<Piece> seal(List<byte[]> digests, long partnerSize, long encodedSize) throws IOException;

    /**
     * Says where the bytes were written in a file of all ranks, in the modes that have one.
     *
     * @param start byte offset
     */
    default void placeAt(long start) {
        throw new IllegalStateException("this mode has no file of all ranks");
    }

    /** How the file enters a Reed-Solomon group. */
    Encoding encoding();

    /** What was written; after {@link #seal}. */
    StoredFile stored();
}
