package io.drumlin.fti;

import io.drumlin.checkpoint.FtiCheckpoints;
import io.drumlin.checkpoint.RunDescription;

/**
 * {@code FTIT_allConfiguration}: the result of {@link FTI#FTI_GetConfig}, under C FTI's names. C FTI's records of
 * checkpoints and of fault injection are left out.
 *
 * @param configuration settings
 * @param execution the run
 * @param topology ranks and nodes
 */
@SuppressWarnings({"checkstyle:TypeName", "TypeName"}) // The names are C FTI's.
public record FTIT_allConfiguration(
        FTIT_configuration configuration, FTIT_execution execution, FTIT_topology topology) {

    /**
     * Settings.
     *
     * @param ioMode {@link FTI#FTI_IO_POSIX} to {@link FTI#FTI_IO_HDF5}
     * @param blockSize bytes
     * @param keepLastCkpt {@code keep_last_ckpt}
     * @param keepL4Ckpt {@code keep_l4_ckpt}
     * @param verbosity 1 to 3
     * @param localDir directory of the run on this rank's node
     * @param glbalDir directory of the run on the parallel file system
     * @param metadDir directory of the run's metadata
     */
    public record FTIT_configuration(
            int ioMode,
            int blockSize,
            boolean keepLastCkpt,
            boolean keepL4Ckpt,
            int verbosity,
            String localDir,
            String glbalDir,
            String metadDir) {}

    /**
     * The run.
     *
     * @param id its name
     * @param reco how it started, as a value of {@link FTI#FTI_Status}
     */
    public record FTIT_execution(String id, int reco) {}

    /**
     * Ranks and nodes.
     *
     * @param nbProc ranks, heads included
     * @param nbNodes nodes
     * @param myRank this rank in the communicator given to {@link FTI#FTI_Init}
     * @param nodeSize ranks per node, heads included
     * @param nbHeads heads per node
     * @param groupSize nodes per group
     * @param sectorID sector of the node
     * @param nodeID node
     * @param groupID group in the sector
     * @param amIaHead whether this rank is a head
     * @param groupRank this rank in its group
     * @param right the rank in the group that keeps this one's copy
     * @param left the rank in the group whose copy this one keeps
     */
    public record FTIT_topology(
            int nbProc,
            int nbNodes,
            int myRank,
            int nodeSize,
            int nbHeads,
            int groupSize,
            int sectorID,
            int nodeID,
            int groupID,
            boolean amIaHead,
            int groupRank,
            int right,
            int left) {}

    static FTIT_allConfiguration of(FtiCheckpoints checkpoints) {
        RunDescription run = checkpoints.describe();
        return new FTIT_allConfiguration(
                new FTIT_configuration(
                        1000 + run.ioMode(),
                        run.blockBytes(),
                        run.keepLast(),
                        run.keepL4(),
                        checkpoints.verbosity(),
                        run.local().toString(),
                        run.global().toString(),
                        run.metadata().toString()),
                new FTIT_execution(checkpoints.execId(), checkpoints.status().number()),
                new FTIT_topology(
                        run.nodes() * run.nodeSize(),
                        run.nodes(),
                        run.rank(),
                        run.nodeSize(),
                        run.heads(),
                        run.groupSize(),
                        run.sector(),
                        run.node(),
                        run.group(),
                        checkpoints.isHead(),
                        run.groupRank(),
                        (run.groupRank() + 1) % run.groupSize(),
                        (run.groupRank() + run.groupSize() - 1) % run.groupSize()));
    }
}
