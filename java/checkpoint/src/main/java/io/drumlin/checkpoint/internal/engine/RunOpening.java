package io.drumlin.checkpoint.internal.engine;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.branch.Branch;
import io.drumlin.checkpoint.internal.branch.BranchRecord;
import io.drumlin.checkpoint.internal.branch.NodeBranches;
import io.drumlin.checkpoint.internal.config.CheckpointChoice;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.KnownKeys;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.io.Closeables;
import io.drumlin.checkpoint.internal.lease.Lease;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
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
import io.drumlin.format.hdf5.Hdf5Reader;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.NioEngine;
import io.drumlin.storage.internal.PathStatus;
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
 * Opens a run, the first steps of {@code FTI_Init}: reads the configuration, and begins a branch if a checkpoint was chosen;
 * makes directories; finds the places of nodes and ranks; takes the directories.
 *
 * @param configFile the configuration file
 * @param ranks all ranks, heads included
 * @param given the storage engine; if empty, the configuration or {@link StorageEngines} chooses
 * @param anyNumberOfRanks whether a restart may have another number of nodes
 * @param nodeOrder whether data belong to places in the order of nodes
 * @param choice the checkpoint with which a branch begins; if empty, the configuration may have one
 * @param host host of this rank, if a test invented it
 * @param group the id for a fresh start of a group; if empty, the id is random
 */
public record RunOpening(
        Path configFile,
        Communicator ranks,
        Optional<StorageEngine> given,
        boolean anyNumberOfRanks,
        boolean nodeOrder,
        Optional<CheckpointChoice> choice,
        Optional<Host> host,
        Optional<String> group) {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Most runs that a message names. */
    private static final int MOST_NAMED = 5;

    private static final NodeOrder NONE = new NodeOrder(List.of(), Optional.empty(), List.of());

    /** Opens the run. Collective. */
    public Run open() throws IOException {
        Begun begun = read();
        FtiConfig config = begun.config;
        if (ranks.rank() == 0) {
            for (String suspicion : KnownKeys.suspicions(config.ini())) {
                LOG.log(Logger.Level.WARNING, configFile + ": " + suspicion);
            }
        }
        boolean restart = config.failure() != 0;
        String fresh = ranks.rank() == 0 ? group.orElseGet(RunOpening::newExecId) : "";
        String execId = restart ? config.execId() : Agreement.bcast(ranks, fresh, 0);
        Path ckptDir = host.map(Host::localRoot).orElse(config.ckptDir());
        RunDirectory directories = new RunDirectory(config, ckptDir, execId, ranks.rank());
        long own = restart
                ? System.currentTimeMillis() << 20 | ProcessHandle.current().pid() << 1 | 1
                : 0;
        SharedMarker first = new SharedMarker(directories.shared(), own);
        try {
            StorageEngine storage = Agreement.call(ranks, "making the directories of run " + execId, () -> {
                StorageEngine made = given.isPresent() ? given.get() : storage(config);
                directories.createLocal(made);
                if (ranks.rank() == 0) {
                    directories.createShared(made);
                    first.make();
                }
                return made;
            });
            if (begun.isBranch) {
                NodeBranches.complete(config, ranks, host, storage, directories, begun.parts);
            }
            return take(config, execId, storage, directories, place(config, directories, first));
        } finally {
            first.delete();
        }
    }

    /**
     * Where the ranks are.
     *
     * @param orders orders of nodes, that of this run first
     */
    private record Placed(List<PreviousOrder> orders, Optional<PreviousRun> previous) {}

    /** Finds nodes and ranks, and what the previous run says of them. Collective. */
    private Placed place(FtiConfig config, RunDirectory directories, SharedMarker first) throws IOException {
        boolean restart = config.failure() != 0;
        String topologyFile = directories.topologyFile().toString();
        PreviousRun[] found = new PreviousRun[1];
        List<PreviousOrder> orders = TopologyExchange.of(ranks, config, host, disk(config, directories), nodeOfRank -> {
            List<NodeOrder> known = new ArrayList<>();
            if (restart) {
                IniFile ini = IniFile.parse(TextFiles.read(directories.topologyFile()), topologyFile);
                known.addAll(TopologyFile.orders(ini, topologyFile));
                found[0] = previousRun(ini, known, config, first.start());
                if (anyNumberOfRanks && !found[0].sameNodes()) {
                    // The nodes of these orders do not belong to this run.
                    known.clear();
                } else {
                    TopologyFile.requireGroupSize(ini, config, topologyFile);
                }
            }
            List<NodeList> lists = lists(config, nodeOfRank, known);
            if (nodeOrder) {
                lists.get(0).warnOfOtherNumbers(config.heads());
            }
            return lists;
        });
        return new Placed(orders, restart ? Optional.of(bcast(ranks, found[0])) : Optional.empty());
    }

    /** Takes the directories of the run, and begins the lists of its nodes. Collective. */
    private Run take(FtiConfig config, String execId, StorageEngine storage, RunDirectory directories, Placed found)
            throws IOException {
        boolean restart = config.failure() != 0;
        long number = found.previous.map(PreviousRun::start).orElse(0L);
        Topology placed = found.orders.get(0).topology();
        boolean realNodes = placed.nodes() > 1 && !config.localTest();
        boolean newDisk = realNodes && placed.identity().disk().isEmpty();
        Topology topology = newDisk ? placed.withDisk(NodeDisk.newId(number, placed.node())) : placed;
        Communicator app = topology.own(ranks);
        NodeOrder order = restart ? NONE : TopologyExchange.order(topology, app, config, Run.numbering(nodeOrder));
        List<Lease> lease = new ArrayList<>();
        NodeMarker marker = new NodeMarker(directories.local(), topology.node(), topology.nodeName(), number);
        String ended = restart && !config.lease().isZero()
                ? Lease.ended(ranks, directories.lease(), topology.place() == 0, Lease.GRACE)
                : "";
        boolean firstOfApp = !topology.isHead() && app.rank() == 0;
        Agreement.Step begin = () -> {
            if (topology.place() == 0) {
                directories.requireOwnEntries();
                // The first rank of all has made them. A node may remember that they were missing, or have its own.
                directories.createShared(storage);
            }
            if (realNodes && topology.place() == 0) {
                marker.make();
                if (ranks.rank() != 0) {
                    new SharedMarker(directories.shared(), number).requireSeen(marker.words());
                }
                if (newDisk) {
                    NodeDisk.write(directories.local(), topology.identity().disk(), storage);
                }
            }
            if (firstOfApp) {
                Lease.take(directories.lease(), config.lease(), ended).ifPresent(lease::add);
                Lease.requireSameStart(config, configFile);
            }
            if (!restart && topology.isGlobalMaster() && !topology.isHead()) {
                String written = TopologyFile.toIni(config, order, topology.ranksOfApplication());
                TextFiles.replace(directories.topologyFile(), written, storage);
            }
        };
        try {
            take(app, execId, begin);
            if (!nodeOrder && !topology.isNumberedByNode()) {
                Communicator asGiven = topology.ownAsGiven(ranks);
                app.close();
                app = asGiven;
            }
            return new Run(
                    configFile,
                    config,
                    execId,
                    storage,
                    directories,
                    topology,
                    found.orders.subList(1, found.orders.size()),
                    nodeOrder,
                    found.previous,
                    app,
                    config.heads() == 0 ? Optional.empty() : Optional.of(HeadLink.of(ranks, topology)),
                    lease.stream().findFirst());
        } catch (Throwable e) {
            lease.forEach(Lease::close);
            throw e;
        } finally {
            marker.delete();
        }
    }

    /**
     * What all ranks know of a start.
     *
     * @param config the configuration
     * @param isBranch whether the run is a branch on real nodes
     * @param parts the number of the parts of a branch that nodes have
     */
    private record Begun(FtiConfig config, boolean isBranch, String parts) {}

    private static final String FROM = "from ";

    private static final String BRANCH = "branch ";

    /** Reads the configuration, and begins a branch if a checkpoint was chosen. Collective. */
    private Begun read() throws IOException {
        String words = Agreement.ofFirst(ranks, "reading " + configFile, this::words);
        Begun read = parse(words);
        return words.startsWith(FROM) ? begin(read.config, CheckpointChoice.parse(state(words, FROM))) : read;
    }

    /** Returns the rest of the first line, which comes before the text of the configuration. */
    private static String state(String words, String prefix) {
        return words.substring(prefix.length(), words.indexOf('\n'));
    }

    private Begun parse(String words) throws IOException {
        String text = words.substring(words.indexOf('\n') + 1);
        FtiConfig config = Agreement.call(ranks, "reading " + configFile, () -> usable(text));
        boolean isBranch = words.startsWith(BRANCH);
        return new Begun(config, isBranch, isBranch ? state(words, BRANCH) : "");
    }

    /** Begins a branch on real nodes. Collective. */
    private Begun begin(FtiConfig parent, CheckpointChoice chosen) throws IOException {
        NodeBranches branches = new NodeBranches(parent, ranks, host, given.orElseGet(NioEngine::new));
        String branch = branches.begin(chosen);
        return parse(Agreement.ofFirst(ranks, "beginning branch " + branch, () -> {
            log(parent, branch, chosen);
            return started(parent, Branch.config(parent.ini(), branch));
        }));
    }

    /** Returns the configuration, if this process has what it asks for. */
    private FtiConfig usable(String text) throws IOException {
        FtiConfig config = FtiConfig.parse(text, configFile.toString());
        if (config.h5Compression() > 0) {
            Hdf5Reader.requireLibrary();
        }
        return config;
    }

    /** Returns what the first rank tells the others: a line with what there is to do, and the configuration. */
    private String words() throws IOException {
        String text = TextFiles.read(configFile);
        FtiConfig config = FtiConfig.parse(text, configFile.toString());
        if (config.failure() != 0) {
            requireRun(config);
        }
        Optional<CheckpointChoice> chosen = choice.or(config::choice);
        if (chosen.isEmpty()) {
            return started(config, text);
        }
        requireRestart(config, chosen.get());
        Branch branches = new Branch(config, given.orElseGet(NioEngine::new));
        if (branches.hasBegunWith(chosen.get(), config.execId())) {
            return started(config, text);
        }
        if (!config.localTest()) {
            return FROM + chosen.get().words() + "\n" + text;
        }
        String branch = branches.begin(config.execId(), chosen.get());
        log(config, branch, chosen.get());
        return started(config, Branch.config(config.ini(), branch));
    }

    private void requireRestart(FtiConfig config, CheckpointChoice chosen) throws DrumlinException {
        if (config.failure() == 0) {
            throw DrumlinException.during("beginning a branch with checkpoint " + chosen.asked())
                    .path(configFile)
                    .problem("failure = 0 means a fresh start, which begins with no checkpoint")
                    .advice("set failure = 1 and exec_id to the run that has the checkpoint, or choose none")
                    .exception();
        }
    }

    private static void log(FtiConfig parent, String branch, CheckpointChoice chosen) {
        LOG.log(
                Logger.Level.INFO,
                "run {0} begins with checkpoint {1} of run {2}, which stays as it is",
                branch,
                chosen.asked(),
                parent.execId());
    }

    private String started(FtiConfig parent, String text) throws IOException {
        if (parent.localTest() || parent.failure() == 0) {
            return "\n" + text;
        }
        FtiConfig config = FtiConfig.parse(text, configFile.toString());
        Optional<BranchRecord> branch = BranchRecord.read(new RunDirectory(config, config.execId(), 0).meta());
        return branch.map(BranchRecord::parts).map(BRANCH::concat).orElse("") + "\n" + text;
    }

    /** Checks that the run exists, before directories are created for a nonexistent run. */
    private static void requireRun(FtiConfig config) throws IOException {
        RunDirectory directories = new RunDirectory(config, config.ckptDir(), config.execId(), 0);
        if (!Files.notExists(directories.topologyFile())) {
            return;
        }
        List<String> others = new ArrayList<>();
        for (Path entry : PathStatus.entries(config.metaDir())) {
            if (PathStatus.exists(entry.resolve(directories.topologyFile().getFileName()))) {
                others.add(entry.getFileName().toString());
            }
        }
        String there = others.isEmpty()
                ? "no run is there: is meta_dir the directory of the run before? to start afresh set failure = 0"
                : "set exec_id to the run to restart; runs there: "
                        + String.join(", ", others.subList(0, Math.min(others.size(), MOST_NAMED)))
                        + (others.size() > MOST_NAMED ? " and more" : "");
        throw DrumlinException.during("restart")
                .path(config.metaDir())
                .problem("there is no run " + config.execId() + ", which exec_id of the configuration names")
                .advice(there)
                .exception();
    }

    /**
     * Takes the directories of the run. If they are refused, which all ranks see, closes a communicator that nobody
     * needs then. Collective.
     */
    private void take(Communicator inNodeOrder, String execId, Agreement.Step begin) throws IOException {
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
    private String disk(FtiConfig config, RunDirectory directories) throws IOException {
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
     * @param start the number of this start
     */
    private PreviousRun previousRun(IniFile topology, List<NodeOrder> known, FtiConfig config, long start)
            throws DrumlinException {
        int nodes = known.get(0).nodes().size();
        boolean sameNodes = nodes * (long) config.nodeSize() == ranks.size();
        int before = TopologyFile.ranks(topology).orElse(0);
        int now = nodes * (config.nodeSize() - config.heads());
        if (sameNodes && before != 0 && before != now && !TopologyFile.isOfThisGroupSize(topology, config)) {
            if (!anyNumberOfRanks) {
                throw Run.otherRanks(DrumlinException.during("restart"), before, now, config);
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

    /** Returns the list of this run, followed by those of other orders in which there may be files. */
    private List<NodeList> lists(FtiConfig config, List<NodeIdentity> nodeOfRank, List<NodeOrder> known)
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

    private static StorageEngine storage(FtiConfig config) throws IOException {
        boolean propertyDecides = System.getProperty(StorageEngines.PROPERTY) != null;
        return config.storage().isPresent() && !propertyDecides
                ? StorageEngines.byName(config.storage().get())
                : StorageEngines.best();
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
