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
     * @throws IOException level 1 has no such checkpoint, or it cannot be copied
     */
    void put(int ckptId, long stashId) throws IOException;

    /**
     * Recovers the protected variables from a stash on the nodes. Variables that are not in the stash do not change.
     *
     * @param stashId 0 or above
     * @return id of the checkpoint in the stash
     * @throws IOException there is no such stash, a variable in it is not protected or has another size, the stash is
     *     damaged, or a read failed; only after a failed read may data be partly overwritten
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
