package io.drumlin.checkpoint;

import java.io.IOException;
import java.util.Optional;

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
public interface IncrementalCheckpoint extends AutoCloseable {

    /**
     * Writes a variable as it is now. Not collective; ranks may come in any order and at any time.
     *
     * <p>If it cannot be written {@link #failure} says so and {@link #commit} fails on all ranks. It is not thrown here, for a rank that
     * leaves because of it would let the others wait in their commit.
     *
     * @param id a protected variable that was not added before
     * @throws IllegalArgumentException the variable is not protected or was added before; nothing has changed
     */
    void add(int id);

    /**
     * What kept a variable from being added on this rank.
     *
     * @return the first failure, with which {@link #commit} is going to fail
     */
    Optional<IOException> failure();

    /**
     * Completes the checkpoint and {@link #close closes} this; otherwise as {@link Checkpoints#checkpoint}. Collective.
     *
     * @return what it took, without the time of {@link #add}
     * @throws IOException on all ranks, if on any a variable is missing or could not be written, or as
     *     {@link Checkpoints#checkpoint}
     */
    CheckpointReport commit() throws IOException;

    /**
     * Gives up the checkpoint unless it was committed: what was written of it is deleted, earlier checkpoints are as they were. Not
     * collective, but every rank commits or every rank gives up. A second call does nothing.
     *
     * @throws IOException what was written could not be deleted; it is not taken for a checkpoint
     */
    @Override
    void close() throws IOException;
}
