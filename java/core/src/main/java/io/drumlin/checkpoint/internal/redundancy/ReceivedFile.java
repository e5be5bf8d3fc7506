package io.drumlin.checkpoint.internal.redundancy;

import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.SequentialFile;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.comm.Agreement;
import io.drumlin.format.ByteSource;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written with bytes other ranks send. When it cannot be written the bytes are still taken, so that no rank
 * waits for this one; the failure comes out at the end. What is called for each window makes no objects, so it hands no functions over.
 * Not thread-safe.
 */
final class ReceivedFile implements Closeable {

    private final SlabPool slabs;
    private @Nullable SequentialFile file;
    private final DeferredFailure failure = new DeferredFailure();

    /**
     * @param slabs through which it is written, and for windows
     * @param path the file, replaced when it exists
     * @param size bytes it will have
     */
    ReceivedFile(StorageEngine storage, SlabPool slabs, Path path, long size) {
        this.slabs = slabs;
        failure.attempt(() -> file = new SequentialFile(storage, slabs, path, size));
    }

    /** No file: what is received is dropped, and {@link #finish} says whether what was sent could be read. */
    ReceivedFile(SlabPool slabs) {
        this.slabs = slabs;
    }

    /** As {@link SequentialFile#space}, but never fails. */
    ByteBuffer space(int wanted) {
        if (file != null && !failure.isThere()) {
            try {
                return file.space(wanted);
            } catch (IOException | RuntimeException | Error e) {
                failure.add(e);
            }
        }
        return window(wanted);
    }

    /**
     * The space that was handed out last holds its bytes.
     *
     * @param last whether they are the last of the file: more windows may be asked for then, which must not be given its slab
     */
    void filled(boolean last) {
        if (file != null && !failure.isThere()) {
            try {
                if (last) {
                    file.flush();
                } else {
                    file.filled();
                }
            } catch (IOException | RuntimeException | Error e) {
                failure.add(e);
            }
        }
    }

    /** Fills the remaining space of {@code target} with bytes that are to be sent, unless a step before has failed. */
    void read(ByteSource source, long offset, ByteBuffer target) {
        if (!failure.isThere()) {
            try {
                source.readFully(offset, target);
            } catch (IOException | RuntimeException | Error e) {
                failure.add(e);
            }
        }
    }

    /** A slab of the pool for other bytes than those of the file; one whose write has failed is passed over. */
    ByteBuffer window(int length) {
        while (true) {
            try {
                return slabs.take().buffer().limit(length);
            } catch (IOException e) {
                // Each slab tells the failure of its last write once: this ends.
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

    /** Runs a step unless one before has failed. Whatever goes wrong must not keep this rank from the next message. */
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
