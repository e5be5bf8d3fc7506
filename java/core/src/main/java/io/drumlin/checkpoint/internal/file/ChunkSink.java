package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;

/** Takes bytes of a checkpoint file while they are verified. */
@FunctionalInterface
public interface ChunkSink {

    /**
     * Takes a piece; what the buffer holds may change after the call.
     *
     * @param position of the piece in the chunk
     */
    void take(Chunk chunk, long position, ByteBuffer piece);
}
