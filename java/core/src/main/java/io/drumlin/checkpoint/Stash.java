package io.drumlin.checkpoint;

import java.io.IOException;

/**
 * Level-1 checkpoints that a program puts aside under ids of its own, to go back to them later: {@code FTIX_Stash} of C FTI
 * (docs/formats/fti-run-directory.md, section 8).
 *
 * <p>A stash is on the nodes, in the run's own directories, until the run is completed, and can be copied to a directory on the
 * parallel file system that all runs share. The run's checkpoints do not change. All methods are collective, for one thread per
 * rank, and wait for a checkpoint under way; what fails on one rank throws on all, and a stash that was being made is not there then,
 * but the one that it was to replace.
 */
public interface Stash {

    /** Where a stash lies. */
    enum Layer {
        /** On the node of each rank. */
        LOCAL,
        /** On the parallel file system. */
        GLOBAL
    }

    /**
     * Copies the checkpoint of level 1 on the nodes. A stash with the same id is replaced.
     *
     * @param ckptId id of the checkpoint
     * @param stashId 0 or above
     * @throws IOException level 1 has no such checkpoint, or it cannot be copied
     */
    void put(int ckptId, long stashId) throws IOException;

    /**
     * Brings the protected variables back from a stash on the nodes. Variables that are not in it stay as they are.
     *
     * @param stashId 0 or above
     * @return id of the checkpoint that was put aside
     * @throws IOException there is no such stash, a variable in it is not protected or has another size, or it is damaged; if only
     *     the reading itself failed, data may be partly overwritten
     */
    int load(long stashId) throws IOException;

    /**
     * Copies a stash from the nodes to the parallel file system. Nothing is done if it is there.
     *
     * @param stashId 0 or above
     * @throws IOException there is no such stash on the nodes, it cannot be copied, or another one has its id there
     */
    void push(long stashId) throws IOException;

    /**
     * Copies a stash from the parallel file system to the nodes. Nothing is done if all nodes have it.
     *
     * @param stashId 0 or above
     * @throws IOException there is no such stash on the parallel file system, or it cannot be copied
     */
    void pull(long stashId) throws IOException;

    /**
     * Deletes a stash; nothing happens when it is missing.
     *
     * @param stashId 0 or above
     * @param layer where
     * @throws IOException it is still there, or a part of it
     */
    void drop(long stashId, Layer layer) throws IOException;
}
