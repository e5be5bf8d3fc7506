package io.drumlin.checkpoint;

import io.drumlin.checkpoint.StoredFile.Chunk;
import java.nio.ByteBuffer;

/** Takes bytes of a checkpoint file while they are verified. */
@FunctionalInterface
interface ChunkSink {

    /**
     * Takes a piece; what the buffer holds may change after the call.
     *
     * @param position of the piece in the chunk
     */
    void take(Chunk chunk, long position, ByteBuffer piece);
}
