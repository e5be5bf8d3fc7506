package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;

/** Receives bytes of a checkpoint file while they are verified. */
@FunctionalInterface
public interface ChunkSink {

    /**
     * Receives a piece. The content of the buffer may change after the call.
     *
     * @param position position of the piece in the chunk
     */
    void take(Chunk chunk, long position, ByteBuffer piece);
}
