package io.drumlin.checkpoint.internal.verify;

import io.drumlin.checkpoint.internal.io.AlignedWriter;
import io.drumlin.checkpoint.internal.io.DeferredFailure;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.storage.StorageEngine;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a file that is written while the file is verified. The pieces may come in any order. If the copy cannot be
 * written, the file is still verified, but there is no copy. Not thread-safe.
 */
final class VerifiedCopy implements Closeable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /**
     * Slabs that are written while others are filled. With 4, of which each holds half a MiB, a restart took almost twice
     * as long: the device reads at the same time, so a write takes longer than it does alone.
     */
    private static final int SLABS = 24;

    private final Path path;
    private final long size;
    private final SlabPool slabs;
    private final DeferredFailure failure = new DeferredFailure();
    private @Nullable AlignedWriter file;

    /**
     * Opens the copy and reserves its space.
     *
     * @param path the copy, replaced if it exists
     * @param size final size in bytes
     * @param slabBytes bytes of the slabs through which it is written
     */
    VerifiedCopy(StorageEngine storage, Path path, long size, int slabBytes) {
        this.path = path;
        this.size = size;
        slabs = new SlabPool(storage, SLABS, slabBytes);
        failure.attempt(() -> {
            AlignedWriter opened = new AlignedWriter(storage, slabs, path);
            file = opened;
            opened.file().allocate(size);
        });
    }

    /** Writes the remaining bytes of {@code piece}, which may change after the call. */
    void write(long offset, ByteBuffer piece) {
        failure.attempt(() -> opened().write(offset, piece));
    }

    private AlignedWriter opened() {
        AlignedWriter open = file;
        if (open == null) {
            throw new IllegalStateException("the file could not be opened");
        }
        return open;
    }

    /**
     * Makes the content durable.
     *
     * @return the identity of the copy, if it is whole
     */
    Optional<FileIdentity> finish() {
        failure.attempt(() -> opened().finish(size));
        try {
            failure.throwIfThere();
            return Optional.of(FileIdentity.of(path));
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "{0} is not copied while it is verified: {1}", path, e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // There is no copy then, and the file is verified all the same.
            failure.add(e);
        } finally {
            slabs.close();
        }
    }
}
