package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file with bytes sent by other ranks. If the file cannot be written, the bytes are still received, so that no
 * rank waits for this one, and the failure is thrown at the end. The methods called for each window create no objects,
 * and therefore pass no lambdas. Not thread-safe.
 */
final class ReceivedFile implements Closeable {

    private final SlabPool slabs;
    private @Nullable AlignedWriter file;
    private final DeferredFailure failure = new DeferredFailure();
    private SlabPool.@Nullable Slab space;
    private long written;

    /**
     * @param slabs slabs for writing the file and for windows
     * @param path the file, replaced if it exists
     * @param size final size in bytes
     */
    ReceivedFile(StorageEngine storage, SlabPool slabs, Path path, long size) {
        this.slabs = slabs;
        failure.attempt(() -> {
            AlignedWriter opened = new AlignedWriter(storage, slabs, path);
            file = opened;
            opened.file().allocate(size);
        });
    }

    /**
     * Creates a receiver without a file: received bytes are dropped, and {@link #finish} throws if the sent bytes could
     * not be read.
     */
    ReceivedFile(SlabPool slabs) {
        this.slabs = slabs;
    }

    /** Returns memory for the next bytes of the file, at most a slab, which {@link #filled} writes. */
    ByteBuffer space(int wanted) {
        SlabPool.Slab slab = slabs.take(failure);
        space = slab;
        return slab.view(0, wanted);
    }

    /** Starts to write the first bytes of the space handed out last, if there is a file. */
    void filled(int bytes) {
        if (file != null && space != null && !failure.isThere()) {
            try {
                file.start(space, written, bytes);
            } catch (Throwable e) {
                failure.add(e);
            }
        }
        written += bytes;
    }

    /** Fills memory from 0 to its limit with bytes to send, unless an earlier step has failed. */
    void read(ByteSource source, long offset, ByteBuffer target) {
        int length = target.limit();
        if (!failure.isThere()) {
            try {
                source.readFully(offset, target);
            } catch (Throwable e) {
                failure.add(e);
            }
        }
        target.rewind().limit(length);
    }

    /** Returns a slab of the pool for bytes that are not in the file. */
    ByteBuffer window(int length) {
        return slabs.take(failure).buffer().limit(length);
    }

    /** Appends the last bytes of the file. */
    void append(ByteBuffer source) {
        attempt(() -> {
            if (file != null) {
                file.write(written, source);
                written += source.remaining();
            }
        });
    }

    /** Runs a step unless an earlier one has failed. No failure may keep this rank from the next message. */
    void attempt(Agreement.Step step) {
        failure.attempt(step);
    }

    /**
     * Makes the content durable.
     *
     * @throws IOException the first failure of any step
     */
    void finish() throws IOException {
        attempt(() -> {
            if (file != null) {
                file.finish(written);
            }
        });
        failure.throwIfThere();
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
