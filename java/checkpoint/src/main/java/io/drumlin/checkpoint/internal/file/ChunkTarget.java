package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.FilePlan.Chunk;
import io.drumlin.format.ByteSource;
import io.drumlin.format.ftiff.PlacedFile.Piece;
import io.drumlin.integrity.Md5Lanes;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** A checkpoint file that gets a new content. Not thread-safe. */
public interface ChunkTarget extends Closeable {

    /** Reserves the space of the first {@code size} bytes. */
    void allocate(long size) throws IOException;

    /**
     * Writes chunks that do not overlap each other or earlier chunks. The data must not change during the call, but may
     * change afterwards.
     *
     * @param image the bytes of the chunks
     * @param md5 hashes each chunk as a separate stream
     * @return MD5 of each chunk
     */
    List<byte[]> write(ByteSource image, List<Chunk> chunks, Md5Lanes md5) throws IOException;

    /**
     * Says that a container has no content, so its bytes do not change.
     *
     * @param start byte offset in the file
     * @param room bytes of the container
     */
    default void leave(long start, long room) {}

    /** Waits until the slabs are free for other uses. */
    void awaitWrites() throws IOException;

    /**
     * Writes the rest and makes the content durable. The caller makes the directory entry durable.
     *
     * @param pieces everything that is not in chunks
     * @param size bytes of the file
     */
    void finish(List<Piece> pieces, long size) throws IOException;
}
