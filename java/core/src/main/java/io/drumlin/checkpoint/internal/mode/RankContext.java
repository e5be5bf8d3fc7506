package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;

/**
 * The communicators, the storage and the readers that the parts of one rank share.
 *
 * @param app the ranks of the application in the order of nodes; carries messages of checkpoints only
 * @param node the ranks of {@code app} that share node-local storage with this one
 * @param group the ranks of {@code app} that make the lost files of one of them again
 * @param topology where this rank stands
 * @param slabs memory for {@code reader} and for all that writes
 * @param rejected collects files that cannot be used
 */
public record RankContext(
        Communicator app,
        Communicator node,
        Group group,
        Topology topology,
        StorageEngine storage,
        SlabPool slabs,
        CheckpointReader reader,
        RejectedFiles rejected) {

    /** A copy that collects rejected files elsewhere. */
    public RankContext with(RejectedFiles others) {
        return new RankContext(app, node, group, topology, storage, slabs, reader, others);
    }
}
