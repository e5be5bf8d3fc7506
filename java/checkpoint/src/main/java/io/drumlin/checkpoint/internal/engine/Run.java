package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.RunDescription;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.KnownKeys;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.HeadLink;
import io.drumlin.checkpoint.internal.topology.Host;
import io.drumlin.checkpoint.internal.topology.NodeDisk;
import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.NodeMarker;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.NodeOrder.Numbering;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.checkpoint.internal.topology.PreviousRun;
import io.drumlin.checkpoint.internal.topology.SharedMarker;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.topology.TopologyExchange;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a run before its checkpoints are inspected: the first steps of {@code FTI_Init}.
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

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /**
     * Reads the configuration, creates directories, and determines nodes and ranks. Collective.
     *
     * @param given the storage engine; if empty, the configuration or {@link StorageEngines} chooses
     * @param anyNumberOfRanks whether a restart may have another number of nodes
     * @param nodeOrder whether data belong to places in the order of nodes
     * @param choice the checkpoint with which a branch begins; if empty, the configuration may have one
     * @param host host of this rank, if a test invented it
     * @param group the id for a fresh start of a group; if empty, the id is random
     */
    public static Run prepare(
            Path configFile,
            Communicator ranks,
            Optional<StorageEngine> given,
            boolean anyNumberOfRanks,
            boolean nodeOrder,
            Optional<CheckpointChoice> choice,
            Optional<Host> host,
            Optional<String> group)
            throws IOException {
        RunStart start = new RunStart(configFile, ranks, given, choice, host);
        RunStart.Begun begun = start.read();
        FtiConfig config = begun.config();
        if (ranks.rank() == 0) {
            for (String suspicion : KnownKeys.suspicions(config.ini())) {
                LOG.log(Logger.Level.WARNING, configFile + ": " + suspicion);
            }
        }
        boolean restart = config.failure() != 0;
        String fresh = ranks.rank() == 0 ? group.orElseGet(Run::newExecId) : "";
        String execId = restart ? config.execId() : Agreement.bcast(ranks, fresh, 0);
        Path ckptDir = host.map(Host::localRoot).orElse(config.ckptDir());
        RunDirectory directories = new RunDirectory(config, ckptDir, execId, ranks.rank());
        long own = restart
                ? System.currentTimeMillis() << 20 | ProcessHandle.current().pid() << 1 | 1
                : 0;
        SharedMarker first = new SharedMarker(directories.shared(), own);
        try {
            StorageEngine engine = Agreement.call(ranks, "making the directories of run " + execId, () -> {
                StorageEngine made = given.isPresent() ? given.get() : engine(config);
                directories.createLocal(made);
                if (ranks.rank() == 0) {
                    directories.createShared(made);
                    first.make();
                }
                return made;
            });
            start.complete(begun, directories, engine);
            Path topologyFile = directories.topologyFile();
            PreviousRun[] found = new PreviousRun[1];
            String disk = disk(config, directories, ranks);
            List<PreviousOrder> orders = TopologyExchange.of(ranks, config, host, disk, nodeOfRank -> {
                List<NodeOrder> known = new ArrayList<>();
                if (restart) {
                    IniFile ini = IniFile.parse(TextFiles.read(topologyFile), topologyFile.toString());
                    known.addAll(TopologyFile.orders(ini, topologyFile.toString()));
                    found[0] = previousRun(ini, known, config, ranks.size(), anyNumberOfRanks, first.start());
                    if (anyNumberOfRanks && !found[0].sameNodes()) {
                        // The nodes of these orders do not belong to this run.
                        known.clear();
                    } else {
                        TopologyFile.requireGroupSize(ini, config, topologyFile.toString());
                    }
                }
                List<NodeList> lists = lists(config, nodeOfRank, known, nodeOrder);
                if (nodeOrder) {
                    lists.get(0).warnOfOtherNumbers(config.heads());
                }
                return lists;
            });
            Optional<PreviousRun> previous = restart ? Optional.of(bcast(ranks, found[0])) : Optional.empty();
            long number = previous.map(PreviousRun::start).orElse(0L);
            Topology placed = orders.get(0).topology();
            boolean realNodes = placed.nodes() > 1 && !config.localTest();
            boolean newDisk = realNodes && placed.identity().disk().isEmpty();
            Topology topology = newDisk ? placed.withDisk(NodeDisk.newId(number, placed.node())) : placed;
            Communicator inNodeOrder = topology.own(ranks);
            NodeOrder order =
                    restart ? NONE : TopologyExchange.order(topology, inNodeOrder, config, numbering(nodeOrder));
            List<Lease> lease = new ArrayList<>();
            NodeMarker marker = new NodeMarker(directories.local(), topology.node(), topology.nodeName(), number);
            String ended = restart && !config.lease().isZero()
                    ? Lease.ended(ranks, directories.lease(), topology.place() == 0, Lease.GRACE)
                    : "";
            Agreement.Step begin = () -> {
                if (topology.place() == 0) {
                    directories.requireOwnEntries();
                    // The first rank of all has made them. A node may remember that they were missing, or have its own.
                    directories.createShared(engine);
                }
                if (realNodes && topology.place() == 0) {
                    marker.make();
                    if (ranks.rank() != 0) {
                        new SharedMarker(directories.shared(), number).requireSeen(marker.words());
                    }
                    if (newDisk) {
                        NodeDisk.write(directories.local(), topology.identity().disk(), engine);
                    }
                }
                if (!topology.isHead() && inNodeOrder.rank() == 0) {
                    Lease.take(directories.lease(), config.lease(), ended).ifPresent(lease::add);
                    Lease.requireSameStart(config, configFile);
                }
                if (!restart && topology.isGlobalMaster() && !topology.isHead()) {
                    String written = TopologyFile.toIni(config, order, topology.ranksOfApplication());
                    TextFiles.replace(topologyFile, written, engine);
                }
            };
            try {
                take(ranks, inNodeOrder, execId, begin);
                Communicator app = inNodeOrder;
                if (!nodeOrder && !topology.isNumberedByNode()) {
                    app = topology.ownAsGiven(ranks);
                    inNodeOrder.close();
                }
                Optional<HeadLink> headLink =
                        config.heads() == 0 ? Optional.empty() : Optional.of(HeadLink.of(ranks, topology));
                return new Run(
                        configFile,
                        config,
                        execId,
                        engine,
                        directories,
                        topology,
                        orders.subList(1, orders.size()),
                        nodeOrder,
                        previous,
                        app,
                        headLink,
                        lease.stream().findFirst());
            } catch (Throwable e) {
                lease.forEach(Lease::close);
                throw e;
            } finally {
                marker.delete();
            }
        } finally {
            first.delete();
        }
    }

    /**
     * Takes the directories of the run. If they are refused, which all ranks see, closes a communicator that nobody
     * needs then. Collective.
     */
    private static void take(Communicator ranks, Communicator inNodeOrder, String execId, Agreement.Step begin)
            throws IOException {
        try {
            Agreement.run(ranks, "taking the directories of run " + execId, begin);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException refused) {
            Closeables.closeAfter(refused, List.of(inNodeOrder::close));
            throw refused;
        }
    }

    /** Returns the id of this node's disk; empty if it is not known from an earlier start. Collective. */
    private static String disk(FtiConfig config, RunDirectory directories, Communicator ranks) throws IOException {
        // A lone node has its place, whatever its disk is.
        if (config.failure() == 0 || config.localTest() || ranks.size() <= config.nodeSize()) {
            return "";
        }
        String[] id = {""};
        RejectedFiles rejected = RejectedFiles.logged(ranks, config.goesOnFromOlder());
        Path local = directories.local();
        rejected.succeeds("reading the id of the disk", NodeDisk.file(local), () -> id[0] = NodeDisk.read(local));
        rejected.requireReadable();
        return id[0];
    }

    /**
     * Returns what is known about the previous run.
     *
     * @param known the orders of its nodes
     * @param size ranks of this run, heads included
     * @param start the number of this start
     */
    private static PreviousRun previousRun(
            IniFile topology, List<NodeOrder> known, FtiConfig config, int size, boolean any, long start)
            throws DrumlinException {
        int nodes = known.get(0).nodes().size();
        boolean sameNodes = nodes * (long) config.nodeSize() == size;
        int before = TopologyFile.ranks(topology).orElse(0);
        int now = nodes * (config.nodeSize() - config.heads());
        if (sameNodes && before != 0 && before != now && !TopologyFile.isOfThisGroupSize(topology, config)) {
            if (!any) {
                throw otherRanks(DrumlinException.during("restart"), before, now, config);
            }
            // With other groups, whole files on the nodes could be taken for damaged. They are of no use to these
            // ranks.
            sameNodes = false;
        }
        return new PreviousRun(
                sameNodes,
                TopologyFile.numbering(topology).orElse(Numbering.NODE),
                nodes,
                before,
                known.size() == 1,
                start);
    }

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

    private static final NodeOrder NONE = new NodeOrder(List.of(), Optional.empty(), List.of());

    /** Returns the list of this run, followed by those of other orders in which there may be files. */
    private static List<NodeList> lists(
            FtiConfig config, List<NodeIdentity> nodeOfRank, List<NodeOrder> known, boolean nodeOrder)
            throws IOException {
        if (known.isEmpty()) {
            return List.of(NodeList.of(config, nodeOfRank, Optional.empty()));
        }
        NodeList last = NodeList.of(config, nodeOfRank, Optional.of(known.get(0)));
        if (nodeOrder || (known.size() == 1 && last.isInPlace())) {
            return List.of(last);
        }
        List<NodeList> lists = new ArrayList<>();
        lists.add(NodeList.of(config, nodeOfRank, Optional.empty()));
        lists.add(last);
        for (NodeOrder previous : known.subList(1, known.size())) {
            lists.add(NodeList.of(config, nodeOfRank, Optional.of(previous)));
        }
        return lists;
    }

    private static Numbering numbering(boolean nodeOrder) {
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

    /** Broadcasts what rank 0 knows about the previous run. */
    private static PreviousRun bcast(Communicator ranks, @Nullable PreviousRun previous) throws IOException {
        long[] values = {
            previous != null && previous.sameNodes() ? 1 : 0,
            previous != null && previous.numbering() == Numbering.NODE ? 1 : 0,
            previous != null && previous.numbering() == Numbering.GIVEN ? 1 : 0,
            previous != null ? previous.nodes() : 0,
            previous != null ? previous.ranks() : 0,
            previous != null && previous.oneOrder() ? 1 : 0,
            previous != null ? previous.start() : 0
        };
        ranks.allreduce(values, Op.MAX);
        Numbering other = values[2] == 1 ? Numbering.GIVEN : Numbering.OTHER;
        Numbering numbering = values[1] == 1 ? Numbering.NODE : other;
        return new PreviousRun(values[0] == 1, numbering, (int) values[3], (int) values[4], values[5] == 1, values[6]);
    }

    private static StorageEngine engine(FtiConfig config) throws IOException {
        boolean propertyDecides = System.getProperty(StorageEngines.PROPERTY) != null;
        return config.storage().isPresent() && !propertyDecides
                ? StorageEngines.byName(config.storage().get())
                : StorageEngines.best();
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

    /**
     * Returns a new id. Its random bytes come from the kernel, because loading the classes of SecureRandom takes longer
     * than a small checkpoint.
     */
    private static String newExecId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/uuid")).strip();
        } catch (IOException e) {
            return UUID.randomUUID().toString();
        }
    }
}
