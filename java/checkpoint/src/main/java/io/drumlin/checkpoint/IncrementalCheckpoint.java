package io.drumlin.checkpoint;

import java.io.IOException;
import java.util.Optional;

/**
 * A checkpoint whose variables are written one by one, each as soon as it is ready: {@code FTI_InitICP},
 * {@code FTI_AddVarICP} and {@code FTI_FinalizeICP} of C FTI. After a variable was added it may change again.
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
 * <p>A file holds the variables in the order in which they were added. Not thread-safe.
 */
public interface IncrementalCheckpoint extends AutoCloseable {

    /**
     * Writes a variable with its present value. Not collective; ranks may call this in any order and at any time.
     *
     * <p>If the variable cannot be written, {@link #failure} returns the reason and {@link #commit} fails on all ranks.
     * The failure is not thrown here, because a rank that leaves would make the others wait in their commit.
     *
     * @param id a protected variable that has not been added yet
     * @throws IllegalArgumentException the variable is not protected or was already added; nothing has changed
     */
    void add(int id);

    /**
     * Returns the failure that kept a variable from being added on this rank.
     *
     * @return the first failure, which makes {@link #commit} fail; empty if there was none
     */
    Optional<IOException> failure();

    /**
     * Completes and {@link #close closes} the checkpoint; otherwise like {@link Checkpoints#checkpoint}. Collective.
     *
     * @return size and times of the checkpoint, without the time of {@link #add}
     * @throws IOException on all ranks, if a variable is missing or could not be written on any rank, and otherwise
     *     like {@link Checkpoints#checkpoint}
     */
    CheckpointReport commit() throws IOException;

    /**
     * Gives up the checkpoint unless it was committed: the files written for it are deleted, and earlier checkpoints do
     * not change. Not collective, but either every rank commits or every rank gives up. A second call does nothing.
     *
     * @throws IOException the files could not be deleted; they do not count as a checkpoint
     */
    @Override
    void close() throws IOException;
}
