package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.checkpoint.internal.topology.PreviousRun;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.topology.TopologyExchange;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a rank knows of an open run, before its checkpoints are inspected.
 *
 * @param topology the place of this rank
 * @param orders orders of nodes in which there may be files, the last first; empty if there is only that of
 *     {@code topology}
 * @param nodeOrder whether data belong to places in the order of nodes, as in C FTI, and not to ranks
 * @param previous what is known about the restarted run
 * @param app the application ranks; on a head the heads
 * @param lease the lease, on the first application rank
 * @param headLink the link between the ranks of this node and their head, if it has one
 */
public record Run(
        Path configFile,
        FtiConfig config,
        String execId,
        StorageEngine storage,
        RunDirectory directories,
        Topology topology,
        List<PreviousOrder> orders,
        boolean nodeOrder,
        Optional<PreviousRun> previous,
        Communicator app,
        Optional<HeadLink> headLink,
        Optional<Lease> lease) {

    /** Returns the exception for a run with another number of ranks than the previous one. */
    public static DrumlinException otherRanks(DrumlinException.Context restart, int before, int now, FtiConfig config) {
        return restart.problem("the checkpoints were written by " + before + " ranks, this run has " + now)
                .advice(NodeList.adviceToOtherRanks(config))
                .exception();
    }

    /** Throws if another job has taken over the lease. Called by application ranks; only the first of them checks. */
    public void requireLease() throws DrumlinException {
        if (lease.isPresent()) {
            lease.get().requireOwn();
        }
    }

    static Numbering numbering(boolean nodeOrder) {
        return nodeOrder ? Numbering.OTHER : Numbering.GIVEN;
    }

    /**
     * Returns the order of this run's nodes on the first application rank; elsewhere the result is meaningless.
     * Collective.
     *
     * @param inNodeOrder the application ranks in the order of nodes
     */
    NodeOrder order(Communicator inNodeOrder) throws IOException {
        return TopologyExchange.order(topology, inNodeOrder, config, numbering(nodeOrder));
    }

    /** Returns this run in another order of nodes. */
    public Run in(PreviousOrder order) {
        return new Run(
                configFile,
                config,
                execId,
                storage,
                directories,
                order.topology(),
                List.of(),
                nodeOrder,
                previous,
                app,
                headLink,
                lease);
    }

    /** Returns the description of the run for the program. */
    public RunDescription description(Group group) {
        return new RunDescription(
                configFile,
                config.mode().number(),
                config.blockBytes(),
                config.transferBytes(),
                config.tags(),
                config.keepLastCkpt(),
                config.kept().all(),
                config.keepHeadsAlive(),
                directories.local(),
                directories.global(),
                directories.meta(),
                topology.rank(),
                topology.nodeRanks(),
                topology.nodes(),
                topology.nodeSize(),
                topology.heads(),
                config.groupSize(),
                topology.node(),
                group.sector(),
                group.id(),
                group.index());
    }
}
