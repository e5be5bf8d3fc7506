package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.Md5Lanes;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** A checkpoint file that is brought to a new content. Not thread-safe. */
public interface ChunkTarget extends Closeable {

    /** Reserves the space of the first {@code size} bytes. */
    void allocate(long size) throws IOException;

    /**
     * Writes chunks that do not overlap each other or earlier ones. The data must not change meanwhile; they may afterwards.
     *
     * @param image has the bytes of the chunks
     * @param md5 each chunk is a stream of its own in it
     * @return MD5 of each chunk
     */
    List<byte[]> write(ByteSource image, List<Chunk> chunks, Md5Lanes md5) throws IOException;

    /**
     * Says of a container that it has no content: its bytes stay what they are.
     *
     * @param start byte offset in the file
     * @param room its bytes
     */
    default void leave(long start, long room) {}

    /** Waits until the slabs are free for others. */
    void settle() throws IOException;

    /**
     * Writes what is left and makes the content durable; the directory entry is the caller's business.
     *
     * @param pieces all that is not in chunks
     * @param size bytes of the file
     */
    void finish(List<Piece> pieces, long size) throws IOException;
}
