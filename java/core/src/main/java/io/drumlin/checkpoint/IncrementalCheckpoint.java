package io.drumlin.checkpoint;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint whose variables are written one by one, each as soon as it is ready: {@code FTI_InitICP},
 * {@code FTI_AddVarICP} and {@code FTI_FinalizeICP} of C FTI. Once a variable is added it may change again.
 *
 * <pre>{@code
 * try (IncrementalCheckpoint checkpoint = checkpoints.incremental(7, Level.L1)) {
 *     for (int id : order) {
 *         compute(id);
 *         checkpoint.add(id);
 *     }
 *     checkpoint.commit();
 * }
 * }</pre>
 *
 * <p>Files have the variables in the order in which they were added. Not thread-safe.
 */
public final class IncrementalCheckpoint implements AutoCloseable {

    private final int ckptId;
    private final Communicator app;
    private final Target target;
    private @Nullable IOException failure;
    private boolean closed;

    /** Where the variables go. */
    interface Target extends Closeable {

        /**
         * Refuses what cannot be added.
         *
         * @throws IllegalArgumentException the variable is not protected or was added before
         */
        void requireNew(int id);

        void add(int id) throws IOException;

        /**
         * Completes the checkpoint, or fails on all ranks.
         *
         * @param failure of an addition on this rank, or {@code null}
         */
        CheckpointReport commit(@Nullable IOException failure) throws IOException;
    }

    /** @param app the ranks that commit together */
    IncrementalCheckpoint(int ckptId, Communicator app, Target target) {
        this.ckptId = ckptId;
        this.app = app;
        this.target = target;
    }

    int ckptId() {
        return ckptId;
    }

    boolean isClosed() {
        return closed;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("incremental checkpoint " + ckptId + " is closed");
        }
    }

    /**
     * Writes a variable as it is now. Not collective; ranks may come in any order and at any time.
     *
     * <p>If it cannot be written {@link #failure} says so and {@link #commit} fails on all ranks. It is not thrown here, for a rank that
     * leaves because of it would let the others wait in their commit.
     *
     * @param id a protected variable that was not added before
     * @throws IllegalArgumentException the variable is not protected or was added before; nothing has changed
     */
    public void add(int id) {
        requireOpen();
        target.requireNew(id);
        if (failure == null) {
            String operation = "adding variable " + id + " to incremental checkpoint " + ckptId;
            failure = Agreement.attempt(app, operation, () -> target.add(id));
        }
    }

    /**
     * What kept a variable from being added on this rank.
     *
     * @return the first failure, with which {@link #commit} is going to fail
     */
    public Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Completes the checkpoint and {@link #close closes} this; otherwise as {@link Checkpoints#checkpoint}. Collective.
     *
     * @return what it took, without the time of {@link #add}
     * @throws IOException on all ranks, if on any a variable is missing or could not be written, or as
     *     {@link Checkpoints#checkpoint}
     */
    public CheckpointReport commit() throws IOException {
        requireOpen();
        try {
            CheckpointReport taken = target.commit(failure);
            close();
            return taken;
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    private void closeAfter(Throwable failed) {
        try {
            close();
        } catch (IOException e) {
            failed.addSuppressed(e);
        }
    }

    /**
     * Gives up the checkpoint unless it was committed: what was written of it is deleted, earlier checkpoints are as they were. Not
     * collective, but every rank commits or every rank gives up. A second call does nothing.
     *
     * @throws IOException what was written could not be deleted; it is not taken for a checkpoint
     */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            target.close();
        }
    }
}
