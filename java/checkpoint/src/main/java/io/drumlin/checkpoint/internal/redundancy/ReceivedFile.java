package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.SequentialFile;
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
    private @Nullable SequentialFile file;
    private final DeferredFailure failure = new DeferredFailure();

    /**
     * @param slabs slabs for writing the file and for windows
     * @param path the file, replaced if it exists
     * @param size final size in bytes
     */
    ReceivedFile(StorageEngine storage, SlabPool slabs, Path path, long size) {
        this.slabs = slabs;
        failure.attempt(() -> file = new SequentialFile(storage, slabs, path, size));
    }

    /**
     * Creates a receiver without a file: received bytes are dropped, and {@link #finish} throws if the sent bytes could
     * not be read.
     */
    ReceivedFile(SlabPool slabs) {
        this.slabs = slabs;
    }

    /** Returns memory like {@link SequentialFile#space}, but never fails. */
    ByteBuffer space(int wanted) {
        if (file != null && !failure.isThere()) {
            try {
                return file.space(wanted);
            } catch (Throwable e) {
                failure.add(e);
            }
        }
        return window(wanted);
    }

    /**
     * Says that the space handed out last is filled.
     *
     * @param last whether these are the last bytes of the file; windows requested afterwards must not get its slab
     */
    void filled(boolean last) {
        if (file != null && !failure.isThere()) {
            try {
                if (last) {
                    file.flush();
                } else {
                    file.filled();
                }
            } catch (Throwable e) {
                failure.add(e);
            }
        }
    }

    /** Fills the remaining space of {@code target} with bytes to send, unless an earlier step has failed. */
    void read(ByteSource source, long offset, ByteBuffer target) {
        if (!failure.isThere()) {
            try {
                source.readFully(offset, target);
            } catch (Throwable e) {
                failure.add(e);
            }
        }
    }

    /** Returns a slab of the pool for bytes that are not in the file; a slab whose write has failed is skipped. */
    ByteBuffer window(int length) {
        while (true) {
            try {
                return slabs.take().buffer().limit(length);
            } catch (IOException e) {
                // Each slab reports the failure of its last write only once, so the loop ends.
                failure.add(e);
            }
        }
    }

    /** Appends the remaining bytes of {@code source}. */
    void append(ByteBuffer source) {
        attempt(() -> {
            if (file != null) {
                file.append(source);
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
                file.finish();
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
