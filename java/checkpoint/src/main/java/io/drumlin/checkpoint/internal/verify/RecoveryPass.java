package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.file.ChunkSink;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Handles the bytes of a recovered file while they are read for the first time, to be verified: they are copied into
 * named variables, or block checksums are computed with which a later read is compared. Not thread-safe.
 */
public final class RecoveryPass implements ChunkSink {

    private final ChunkSink sink;
    private final Consumer<FileIdentity> done;

    private RecoveryPass(ChunkSink sink, Consumer<FileIdentity> done) {
        this.sink = sink;
        this.done = done;
    }

    /** Returns a pass that does nothing with the bytes. */
    public static RecoveryPass none() {
        return new RecoveryPass((chunk, position, piece) -> {}, file -> {});
    }

    /**
     * Returns a pass that copies the bytes into variables, whose contents are useless until {@link #done}.
     *
     * @param variables the result of {@link EarlyRecovery#sink}
     */
    public static RecoveryPass into(EarlyRecovery early, ChunkSink variables) {
        early.forget();
        return new RecoveryPass(variables, early::recordVerified);
    }

    /** Returns a pass that computes checksums of the chunks' blocks, which are known after {@link #done}. */
    static RecoveryPass summing(BlockSumTable blocks, List<Chunk> chunks) {
        BlockSumRecorder recorder = blocks.recorder(chunks);
        return new RecoveryPass(recorder, file -> blocks.put(file, recorder.ranges()));
    }

    /** Receives bytes of a chunk with a digest; the bytes of each chunk come in order. */
    @Override
    public void take(Chunk chunk, long position, ByteBuffer piece) {
        sink.take(chunk, position, piece);
    }

    /**
     * Ends the pass after all bytes have passed.
     *
     * @param file identity of the file before the pass
     */
    public void done(FileIdentity file) {
        done.accept(file);
    }
}
