package io.drumlin.checkpoint;

import java.nio.file.Path;
import java.util.List;

/**
 * The place of a rank in its run, and the effective configuration of the run.
 *
 * @param configFile the configuration file
 * @param ioMode {@code ckpt_io}: 1 POSIX, 2 MPI-IO, 3 FTI-FF, 4 SIONlib, 5 HDF5
 * @param blockBytes {@code block_size} in bytes
 * @param transferBytes {@code transfer_size} in bytes, the size of one write in C FTI; it has no effect here
 * @param tags tags of C FTI's messages
 * @param keepLast whether the last checkpoint is kept at the end
 * @param keepL4 whether checkpoints of level 4 are archived
 * @param keepHeadsAlive whether heads continue the program when the run is over
 * @param local directory of the run on this rank's node
 * @param global directory of the run on the parallel file system
 * @param metadata directory of the run's metadata
 * @param rank this rank in the communicator that was given to the run
 * @param nodeRanks the ranks of this rank's node in that communicator, a head first
 * @param nodes number of nodes
 * @param nodeSize ranks per node, heads included
 * @param heads heads per node: 0 or 1
 * @param groupSize nodes per group
 * @param node number of this rank's node, from 0
 * @param sector number of the nodes' sector, from 0
 * @param group number of this rank's group in the sector, from 0
 * @param groupRank this rank in its group, from 0
 */
public record RunDescription(
        Path configFile,
        int ioMode,
        int blockBytes,
        int transferBytes,
        Tags tags,
        boolean keepLast,
        boolean keepL4,
        boolean keepHeadsAlive,
        Path local,
        Path global,
        Path metadata,
        int rank,
        List<Integer> nodeRanks,
        int nodes,
        int nodeSize,
        int heads,
        int groupSize,
        int node,
        int sector,
        int group,
        int groupRank) {

    /**
     * The tags of C FTI's messages; Drumlin's messages have other tags.
     *
     * @param checkpoint {@code ckpt_tag}
     * @param stage {@code stage_tag}
     * @param end {@code final_tag}
     * @param general {@code general_tag}
     */
    public record Tags(int checkpoint, int stage, int end, int general) {}
}
