package io.drumlin.fti;

import static io.drumlin.fti.FTI.FTI_NSCS;
import static io.drumlin.fti.FTI.FTI_SCES;

import io.drumlin.checkpoint.Stash;
import java.io.IOException;

/**
 * The calls of C FTI's header fti-ext under their own names: {@code import static io.drumlin.fti.FTIX.*;}. Everything said of
 * {@link FTI} holds here.
 */
@SuppressWarnings({"checkstyle:MethodName", "MethodName"}) // the names are C FTI's
public final class FTIX {

    private FTIX() {}

    /**
     * {@code FTIX_Stash}: copies a checkpoint of level 1 on the nodes. Collective.
     *
     * @param ckptId id of the checkpoint
     * @param stashId 0 or above; a stash with the same id is replaced
     * @return {@code stashId}, or {@link FTI#FTI_NSCS}
     */
    public static long FTIX_Stash(int ckptId, long stashId) {
        int done = stash(stashId, stash -> stash.put(ckptId, stashId));
        return done == FTI_SCES ? stashId : FTI_NSCS;
    }

    /**
     * {@code FTIX_StashLoad}: brings the protected variables back from a stash on the nodes. Collective.
     *
     * @param stashId 0 or above
     * @return id of the checkpoint that was put aside, or {@link FTI#FTI_NSCS}
     */
    public static int FTIX_StashLoad(long stashId) {
        int[] ckptId = new int[1];
        int done = stash(stashId, stash -> ckptId[0] = stash.load(stashId));
        return done == FTI_SCES ? ckptId[0] : FTI_NSCS;
    }

    /**
     * {@code FTIX_StashDrop}: deletes a stash. Collective.
     *
     * @param stashId 0 or above
     * @param layer {@link FTI#FTI_FS_LOCAL} or {@link FTI#FTI_FS_GLOBAL}
     * @return {@link FTI#FTI_SCES}, also when there was none, or {@link FTI#FTI_NSCS}
     */
    public static int FTIX_StashDrop(long stashId, int layer) {
        return stash(stashId, stash -> {
            switch (layer) {
                case FTI.FTI_FS_LOCAL -> stash.drop(stashId, Stash.Layer.LOCAL);
                case FTI.FTI_FS_GLOBAL -> stash.drop(stashId, Stash.Layer.GLOBAL);
                default -> throw new IllegalArgumentException("layer " + layer + " is not in 0..1");
            }
        });
    }

    /**
     * {@code FTIX_StashPush}: copies a stash from the nodes to the parallel file system. Collective.
     *
     * @param stashId 0 or above
     * @return {@link FTI#FTI_SCES}, also when it is there, or {@link FTI#FTI_NSCS}
     */
    public static int FTIX_StashPush(long stashId) {
        return stash(stashId, stash -> stash.push(stashId));
    }

    /**
     * {@code FTIX_StashPull}: copies a stash from the parallel file system to the nodes. Collective.
     *
     * @param stashId 0 or above
     * @return {@link FTI#FTI_SCES}, also when it is there, or {@link FTI#FTI_NSCS}
     */
    public static int FTIX_StashPull(long stashId) {
        return stash(stashId, stash -> stash.pull(stashId));
    }

    /** Something that is done with the stashes. */
    @FunctionalInterface
    private interface StashCall {
        void run(Stash stash) throws IOException;
    }

    private static int stash(long stashId, StashCall call) {
        return FTI.call(FTI_NSCS, instance -> {
            if (stashId < 0) {
                throw new IllegalArgumentException("the id of a stash, " + stashId + ", is below 0");
            }
            call.run(instance.checkpoints().stash());
            return FTI_SCES;
        });
    }
}
