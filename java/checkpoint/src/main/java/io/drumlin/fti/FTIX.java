package io.drumlin.fti;

import static io.drumlin.fti.FTI.FTI_NSCS;
import static io.drumlin.fti.FTI.FTI_SCES;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.Stash;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The calls of C FTI's header fti-ext under their own names: {@code import static io.drumlin.fti.FTIX.*;}. The rules of
 * {@link FTI} apply here too.
 */
@SuppressWarnings({"checkstyle:MethodName", "MethodName"}) // The names are C FTI's.
public final class FTIX {

    private FTIX() {}

    /**
     * {@code FTIX_CALLBACK}: sets a function that heads call while their nodes give them nothing to do, within
     * {@link FTI#FTI_Init}, as described at {@link Checkpoints.Builder#headCallback}. The function may use
     * {@link FTI#FTI_COMM_WORLD}, {@link FTI#FTI_GetConfig} and the getters here. It must not make collective calls,
     * other than {@link #FTIX_Stash}, {@link #FTIX_StashPush}, {@link #FTIX_StashPull} and {@link #FTIX_StashDrop},
     * which all heads make together, as described at {@link Stash}. Each thread that is a rank of its own must set the function
     * before {@link FTI#FTI_Init}. Other ranks than heads do not call the function.
     *
     * @param func the function, also for the runs that this thread initialises later; null for none
     */
    public static void FTIX_CALLBACK(@Nullable Runnable func) {
        Callback.set(func);
    }

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
     * {@code FTIX_StashLoad}: restores the protected variables from a stash on the nodes. Collective; not for heads.
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
     * @return {@link FTI#FTI_SCES}, even if there was none, or {@link FTI#FTI_NSCS}
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
     * @return {@link FTI#FTI_SCES}, even if it is already there, or {@link FTI#FTI_NSCS}
     */
    public static int FTIX_StashPush(long stashId) {
        return stash(stashId, stash -> stash.push(stashId));
    }

    /**
     * {@code FTIX_StashPull}: copies a stash from the parallel file system to the nodes. Collective.
     *
     * @param stashId 0 or above
     * @return {@link FTI#FTI_SCES}, even if it is already there, or {@link FTI#FTI_NSCS}
     */
    public static int FTIX_StashPull(long stashId) {
        return stash(stashId, stash -> stash.pull(stashId));
    }

    /** An operation on the stashes. */
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

    /**
     * {@code FTIX_TopoGet_nbProc}: number of ranks, heads included.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nbProc() {
        return number(run -> run.nodes() * run.nodeSize());
    }

    /**
     * {@code FTIX_TopoGet_nbNodes}: number of nodes.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nbNodes() {
        return number(run -> run.nodes());
    }

    /**
     * {@code FTIX_TopoGet_myRank}: this rank in the communicator given to {@link FTI#FTI_Init}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_myRank() {
        return number(run -> run.rank());
    }

    /**
     * {@code FTIX_TopoGet_splitRank}: this rank in {@link FTI#FTI_COMM_WORLD}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_splitRank() {
        return FTI.call(-1, instance -> instance.checkpoints().communicator().rank());
    }

    /**
     * {@code FTIX_TopoGet_nodeSize}: ranks per node, heads included.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nodeSize() {
        return number(run -> run.nodeSize());
    }

    /**
     * {@code FTIX_TopoGet_nbHeads}: heads per node.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nbHeads() {
        return number(run -> run.heads());
    }

    /**
     * {@code FTIX_TopoGet_nbApprocs}: ranks of the application per node.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nbApprocs() {
        return number(run -> run.nodeSize() - run.heads());
    }

    /**
     * {@code FTIX_TopoGet_groupSize}: nodes per group.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_groupSize() {
        return number(run -> run.groupSize());
    }

    /**
     * {@code FTIX_TopoGet_sectorID}: sector of this node.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_sectorID() {
        return number(run -> run.sector());
    }

    /**
     * {@code FTIX_TopoGet_nodeID}: number of this node.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nodeID() {
        return number(run -> run.node());
    }

    /**
     * {@code FTIX_TopoGet_groupID}: number of this group in its sector.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_groupID() {
        return number(run -> run.group());
    }

    /**
     * {@code FTIX_TopoGet_headRank}: the first rank of this node, which is its head if there is one, in the
     * communicator given to {@link FTI#FTI_Init}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_headRank() {
        return number(run -> run.nodeRanks().get(0));
    }

    /**
     * {@code FTIX_TopoGet_headRankNode}: place of the head on its node.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_headRankNode() {
        return number(run -> 0);
    }

    /**
     * {@code FTIX_TopoGet_nodeRank}: place of this rank on its node.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_nodeRank() {
        return number(run -> run.nodeRanks().indexOf(run.rank()));
    }

    /**
     * {@code FTIX_TopoGet_groupRank}: this rank in its group.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_groupRank() {
        return number(run -> run.groupRank());
    }

    /**
     * {@code FTIX_TopoGet_right}: the rank in the group that keeps the copy of this one.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_right() {
        return number(run -> (run.groupRank() + 1) % run.groupSize());
    }

    /**
     * {@code FTIX_TopoGet_left}: the rank in the group whose copy this one keeps.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_TopoGet_left() {
        return number(run -> (run.groupRank() + run.groupSize() - 1) % run.groupSize());
    }

    /**
     * {@code FTIX_ExecGet_globalComm}: the communicator given to {@link FTI#FTI_Init}, heads included.
     *
     * @return the communicator, valid until {@link FTI#FTI_Finalize}; null before {@link FTI#FTI_Init}
     */
    public static @Nullable Communicator FTIX_ExecGet_globalComm() {
        return FTI.given();
    }

    /**
     * {@code FTIX_ConfGet_blockSize}: {@code block_size} in bytes.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_ConfGet_blockSize() {
        return number(run -> run.blockBytes());
    }

    /**
     * {@code FTIX_ConfGet_transferSize}: {@code transfer_size} in bytes.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_ConfGet_transferSize() {
        return number(run -> run.transferBytes());
    }

    /**
     * {@code FTIX_ConfGet_ckptTag}: {@code ckpt_tag}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_ConfGet_ckptTag() {
        return number(run -> run.tags().checkpoint());
    }

    /**
     * {@code FTIX_ConfGet_stageTag}: {@code stage_tag}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_ConfGet_stageTag() {
        return number(run -> run.tags().stage());
    }

    /**
     * {@code FTIX_ConfGet_finalTag}: {@code final_tag}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_ConfGet_finalTag() {
        return number(run -> run.tags().end());
    }

    /**
     * {@code FTIX_ConfGet_generalTag}: {@code general_tag}.
     *
     * @return the number; -1 before {@link FTI#FTI_Init}
     */
    public static int FTIX_ConfGet_generalTag() {
        return number(run -> run.tags().general());
    }

    /**
     * {@code FTIX_TopoGet_masterLocal}: whether this rank does the work that happens once per node.
     *
     * @return false before {@link FTI#FTI_Init}
     */
    public static boolean FTIX_TopoGet_masterLocal() {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        return checkpoints != null && checkpoints.isNodeMaster();
    }

    /**
     * {@code FTIX_TopoGet_masterGlobal}: whether this rank is the first of {@link FTI#FTI_COMM_WORLD}.
     *
     * @return false before {@link FTI#FTI_Init}
     */
    public static boolean FTIX_TopoGet_masterGlobal() {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        return checkpoints != null && checkpoints.communicator().rank() == 0;
    }

    /**
     * {@code FTIX_TopoGet_amIaHead}: whether this rank is a head.
     *
     * @return false before {@link FTI#FTI_Init}
     */
    public static boolean FTIX_TopoGet_amIaHead() {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        return checkpoints != null && checkpoints.isHead();
    }

    /**
     * {@code FTIX_TopoGet_body}: the ranks of the application on this node, in the communicator given to
     * {@link FTI#FTI_Init}.
     *
     * @return a new array; null before {@link FTI#FTI_Init}
     */
    public static int @Nullable [] FTIX_TopoGet_body() {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        if (checkpoints == null) {
            return null;
        }
        RunDescription run = checkpoints.describe();
        return run.nodeRanks().stream()
                .skip(run.heads())
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /**
     * {@code FTIX_ExecGet_id}: the run's id.
     *
     * @return the id; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ExecGet_id() {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        return checkpoints == null ? null : checkpoints.execId();
    }

    /**
     * {@code FTIX_ConfGet_cfgFile}: the configuration file.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_cfgFile() {
        return path(run -> run.configFile());
    }

    /**
     * {@code FTIX_ConfGet_localDir}: directory of the run on this node.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_localDir() {
        return path(run -> run.local());
    }

    /**
     * {@code FTIX_ConfGet_glbalDir}: directory of the run on the parallel file system.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_glbalDir() {
        return path(run -> run.global());
    }

    /**
     * {@code FTIX_ConfGet_metadDir}: directory of the run's metadata.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_metadDir() {
        return path(run -> run.metadata());
    }

    /**
     * {@code FTIX_ConfGet_lTmpDir}: the directory in which a checkpoint of levels 1 to 3 is written.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_lTmpDir() {
        return path(run -> run.local().resolve("tmp"));
    }

    /**
     * {@code FTIX_ConfGet_gTmpDir}: the directory in which a checkpoint of level 4 is written.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_gTmpDir() {
        return path(run -> run.global().resolve("tmp"));
    }

    /**
     * {@code FTIX_ConfGet_mTmpDir}: the directory in which the metadata of a checkpoint are written.
     *
     * @return the path; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_mTmpDir() {
        return path(run -> run.metadata().resolve("tmp"));
    }

    /**
     * {@code FTIX_ConfGet_suffix}: the suffix of the names of checkpoint files.
     *
     * @return the word after the dot; null before {@link FTI#FTI_Init}
     */
    public static @Nullable String FTIX_ConfGet_suffix() {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        if (checkpoints == null) {
            return null;
        }
        return checkpoints.describe().ioMode() == FTI.FTI_IO_HDF5 - 1000 ? "h5" : "fti";
    }

    private static int number(ToIntFunction<RunDescription> value) {
        return FTI.call(-1, instance -> value.applyAsInt(instance.checkpoints().describe()));
    }

    private static @Nullable String path(Function<RunDescription, Path> value) {
        FtiCheckpoints checkpoints = FTI.checkpoints();
        return checkpoints == null ? null : value.apply(checkpoints.describe()).toString();
    }
}
