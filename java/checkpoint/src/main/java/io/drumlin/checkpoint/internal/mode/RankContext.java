package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;

/**
 * The communicators, the storage and the readers that the components of one rank share.
 *
 * @param app the application ranks in the order of nodes; only for messages of checkpoints
 * @param node the ranks of {@code app} that share node-local storage with this rank
 * @param group the ranks of {@code app} that rebuild each other's lost files
 * @param topology the place of this rank
 * @param byPlace whether data belong to places in the order of nodes, of which there was one only
 * @param slabs slabs of {@code reader} and of all writers
 * @param rejected collects files that cannot be used
 * @param events records what happens on this rank
 */
public record RankContext(
        Communicator app,
        Communicator node,
        Group group,
        Topology topology,
        boolean byPlace,
        StorageEngine storage,
        SlabPool slabs,
        CheckpointReader reader,
        RejectedFiles rejected,
        RunEvents events) {

    /** Returns the ranks that share the directories of a level. The first of them looks at them for all. */
    public Communicator sharing(Level level) {
        return level.isGlobal() ? app : node;
    }

    /**
     * Returns the context in which a head looks for the files of an application rank of its node. The heads form a
     * group in the place of the groups of these ranks.
     *
     * @param place the place of the application rank on the node
     */
    public RankContext standingFor(int place) {
        Group heads = new Group(group.sector(), place, group.comm());
        return new RankContext(app, node, heads, topology.at(place), byPlace, storage, slabs, reader, rejected, events);
    }

    /** Returns whether this rank is in the first group of those that take part. Heads stand for one group at a time. */
    public boolean isOfFirstGroup() {
        boolean onePerNode = app.size() == topology.nodes();
        return group.sector() == 0 && (onePerNode || group.id() == topology.heads());
    }

    /**
     * Returns whether a file of C FTI is that of its place in this rank's group, although its name may have another rank.
     * After a restart with its nodes in another order C FTI names files by the new ranks, and places keep their data.
     * With ranks that are numbered node by node a name shows it: a fresh run gives the place {@code k} of the first node
     * the rank {@code k}, and so on.
     *
     * @param owner the rank in the name
     */
    public boolean isPlaceOfCFti(int owner) {
        return byPlace || (topology.isNumberedByNode() && owner % topology.nodeSize() == topology.place());
    }

    /** Returns a copy with another list of rejected files. */
    public RankContext with(RejectedFiles others) {
        return new RankContext(app, node, group, topology, byPlace, storage, slabs, reader, others, events);
    }
}
