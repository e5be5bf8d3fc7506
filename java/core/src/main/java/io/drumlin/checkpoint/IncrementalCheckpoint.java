package io.drumlin.checkpoint;

import java.io.Closeable;
import java.io.IOException;

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
    private final Target target;
    private boolean closed;

    /** Where the variables go. */
    interface Target extends Closeable {

        void add(int id) throws IOException;

        CheckpointReport commit() throws IOException;
    }

    IncrementalCheckpoint(int ckptId, Target target) {
        this.ckptId = ckptId;
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
     * @param id a protected variable that was not added before
     * @throws IOException it cannot be written; {@link #commit} will then fail on all ranks
     * @throws IllegalArgumentException the variable is not protected or was added before; nothing has changed
     */
    public void add(int id) throws IOException {
        requireOpen();
        target.add(id);
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
            return target.commit();
        } finally {
            close();
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
