package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * What is done with the bytes of a file that is recovered while they pass for the first time, to be verified: they come into variables
 * that were named, or checksums of blocks are taken of them, with which a later read is compared. Not thread-safe.
 */
public final class RecoveryPass implements ChunkSink {

    private final ChunkSink sink;
    private final Consumer<FileIdentity> done;

    private RecoveryPass(ChunkSink sink, Consumer<FileIdentity> done) {
        this.sink = sink;
        this.done = done;
    }

    /** Nothing is done with them. */
    public static RecoveryPass none() {
        return new RecoveryPass((chunk, position, piece) -> {}, file -> {});
    }

    /**
     * They come into variables, which hold nothing of use until {@link #done}.
     *
     * @param variables what {@link EarlyRecovery#sink} gave
     */
    public static RecoveryPass into(EarlyRecovery early, ChunkSink variables) {
        early.forget();
        return new RecoveryPass(variables, early::hold);
    }

    /** Checksums of the blocks of chunks are taken, which are known after {@link #done}. */
    static RecoveryPass summing(BlockSumTable blocks, List<Chunk> chunks) {
        BlockSumRecorder recorder = blocks.recorder(chunks);
        return new RecoveryPass(recorder, file -> blocks.put(file, recorder.ranges()));
    }

    /** Takes bytes of a chunk with a digest, those of each chunk in order. */
    @Override
    public void take(Chunk chunk, long position, ByteBuffer piece) {
        sink.take(chunk, position, piece);
    }

    /**
     * All bytes have passed.
     *
     * @param file as it was before
     */
    public void done(FileIdentity file) {
        done.accept(file);
    }
}
