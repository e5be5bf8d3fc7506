package io.drumlin.checkpoint;

import java.io.IOException;

/**
 * Level-1 checkpoints that a program puts aside under its own ids, to return to them later: {@code FTIX_Stash} of C FTI
 * (docs/formats/fti-run-directory.md, section 8).
 *
 * <p>A stash lies on the nodes, in the run's own directories, until the run is completed. It can be copied to a
 * directory on the parallel file system that all runs share. The run's checkpoints do not change. All methods are
 * collective, are called by one thread per rank, and wait for a checkpoint under way. A failure on one rank is thrown
 * on all ranks; a stash that was being created then does not exist, and the stash it was to replace still does.
 *
 * <p>Heads, too, can call all methods but {@link #load}, in their {@link HeadCallback}. A head then works on the files
 * of all application ranks of its node, and the application continues. All heads must make the same calls in the same
 * order; the methods are collective among the heads. A head that waits for the others finishes checkpoints meanwhile.
 * It gets an exception if another head makes another call, or makes none until the run has ended. Heads read what they
 * have copied: if the application has replaced the checkpoint meanwhile, the call fails.
 *
 * <p>Heads and the application must not work on a stash of the same id at the same time. If both are making it, one of
 * them fails, or both; but to drop a stash, or to load or push one that the other side replaces, is not prevented, and
 * then fails or gets one of the two. The application must not complete the run while heads are making a stash: one of
 * the calls may fail.
 */
public interface Stash {

    /** Where a stash lies. */
    enum Layer {
        /** The node of each rank. */
        LOCAL,
        /** On the parallel file system. */
        GLOBAL
    }

    /**
     * Copies a level-1 checkpoint into a stash on the nodes. A stash with the same id is replaced.
     *
     * @param ckptId id of the checkpoint
     * @param stashId 0 or above
     * @throws IOException level 1 has no such checkpoint, it cannot be copied, or heads and the application are making
     *     a stash with this id at once
     */
    void put(int ckptId, long stashId) throws IOException;

    /**
     * Recovers the protected variables from a stash on the nodes. Variables that are not in the stash do not change.
     *
     * @param stashId 0 or above
     * @return id of the checkpoint in the stash
     * @throws IOException there is no such stash, a variable in it is not protected or has another size, the stash is
     *     damaged or of several checkpoints, or a read failed; only after a failed read may data be partly overwritten
     * @throws IllegalStateException this rank is a head, which has no data
     */
    int load(long stashId) throws IOException;

    /**
     * Copies a stash from the nodes to the parallel file system. Does nothing if it is already there.
     *
     * @param stashId 0 or above
     * @throws IOException there is no such stash on the nodes, it cannot be copied, or another stash has its id there
     */
    void push(long stashId) throws IOException;

    /**
     * Copies a stash from the parallel file system to the nodes. Does nothing if all nodes have it.
     *
     * @param stashId 0 or above
     * @throws IOException there is no such stash on the parallel file system, or it cannot be copied
     */
    void pull(long stashId) throws IOException;

    /**
     * Deletes a stash. Does nothing if it does not exist.
     *
     * @param stashId 0 or above
     * @param layer where the stash lies
     * @throws IOException the stash, or a part of it, could not be deleted
     */
    void drop(long stashId, Layer layer) throws IOException;
}
