package io.drumlin.checkpoint.internal.inspect;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.io.WatchedEngine;
import io.drumlin.checkpoint.internal.recovery.RankFindings;
import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.fti.IniFile;
import io.drumlin.format.internal.StoredNames;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.IoFailures;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Surveys a run with the same engine that restarts it. */
public final class EngineRunSurvey implements RunSurvey {

    private static final int MOST_RANKS = 1 << 15;
    private final FtiConfig config;
    private final String execId;
    private final NodeOrder order;
    private final List<String> nodeNames;
    private final StorageEngine storage;

    /** The checkpoint that is fetched; empty for the one that a restart would use. */
    private final OptionalInt chosen;

    /** Who has written the run, if the configuration is one of other ranks. */
    private final Optional<String> writtenByOthers;

    private EngineRunSurvey(
            FtiConfig config,
            String execId,
            NodeOrder order,
            StorageEngine storage,
            OptionalInt chosen,
            Optional<String> writtenByOthers) {
        this.storage = storage;
        this.writtenByOthers = writtenByOthers;
        this.order = order;
        this.config = config;
        this.execId = execId;
        this.chosen = chosen;
        nodeNames = order.nodeNames();
    }

    @Override
    public EngineRunSurvey watchedBy(LongConsumer read) {
        return new EngineRunSurvey(config, execId, order, new WatchedEngine(storage, read), chosen, writtenByOthers);
    }

    @Override
    public EngineRunSurvey choosing(int ckptId) {
        return new EngineRunSurvey(config, execId, order, storage, OptionalInt.of(ckptId), writtenByOthers);
    }

    /** Opens the run that a configuration file describes; see {@link RunSurvey#open}. */
    public static EngineRunSurvey open(Path configFile, Path workingDirectory, @Nullable String execId)
            throws IOException {
        FtiConfig config = FtiConfig.parse(TextFiles.read(configFile), configFile.toString(), workingDirectory);
        String run = execId == null ? config.execId() : execId;
        if (run.isEmpty()) {
            throw DrumlinException.during("looking for the run")
                    .path(configFile)
                    .problem("[restart] exec_id is empty: no run was started with this file")
                    .exception();
        }
        return open(config, run);
    }

    /** Opens a run with a configuration. */
    public static EngineRunSurvey open(FtiConfig config, String run) throws IOException {
        StoredNames.file(config.metaDir(), run);
        Path topologyFile = new RunDirectory(config, run, 0).topologyFile();
        IniFile topology = IniFile.parse(TextFiles.read(topologyFile), topologyFile.toString());
        NodeOrder order = TopologyFile.orders(topology, topologyFile.toString()).get(0);
        List<String> nodeNames = order.nodeNames();
        if ((long) nodeNames.size() * config.nodeSize() > MOST_RANKS) {
            throw DrumlinException.during("surveying run " + run)
                    .path(topologyFile)
                    .problem(nodeNames.size() + " nodes with " + config.nodeSize() + " ranks each are more than "
                            + MOST_RANKS + " ranks, for each of which a thread would be needed")
                    .exception();
        }
        Optional<FtiConfig> other = WritingConfig.of(config, run, topology, nodeNames.size());
        FtiConfig written = other.orElse(config);
        checkRanks(written, nodeNames.size(), TopologyFile.ranks(topology), topologyFile);
        Optional<String> words = other.map(each -> WritingConfig.words(config, each, nodeNames.size()));
        return new EngineRunSurvey(written, run, order, new NioEngine(), OptionalInt.empty(), words);
    }

    /** Checks the number of ranks. With a wrong number, files would be missed or taken for those of other ranks. */
    private static void checkRanks(FtiConfig config, int nodes, OptionalInt stored, Path topologyFile)
            throws DrumlinException {
        int ranks = nodes * (config.nodeSize() - config.heads());
        if (stored.isPresent() && stored.getAsInt() != ranks) {
            throw DrumlinException.during("looking for the ranks of the run")
                    .path(topologyFile)
                    .problem("the run had " + stored.getAsInt() + " ranks on " + nodes + " nodes, and node_size = "
                            + config.nodeSize() + " with head = " + config.heads() + " makes " + ranks)
                    .advice("give the configuration that the run had")
                    .exception();
        }
    }

    @Override
    public String execId() {
        return execId;
    }

    @Override
    public Optional<String> writtenByOthers() {
        return writtenByOthers;
    }

    @Override
    public int failure() {
        return config.failure();
    }

    @Override
    public int ioMode() {
        return config.mode().number();
    }

    @Override
    public List<String> nodeNames() {
        return nodeNames;
    }

    @Override
    public int groupSize() {
        return config.groupSize();
    }

    @Override
    public int ranks() {
        return nodeNames.size() * config.nodeSize();
    }

    /** Returns whether a rank is a head, which has no data. */
    private boolean isHead(int rank) {
        return rank % config.nodeSize() < config.heads();
    }

    @Override
    public boolean isSpread() {
        return !config.localTest() && nodeNames.size() > 1;
    }

    @Override
    public RunReport report(boolean data) throws IOException {
        return report((level, aside) -> data);
    }

    /** Inspects all checkpoints of the run, and reads only the data of those of a level that were kept on the nodes. */
    public RunReport reportKept(Level level) throws IOException {
        return report((each, aside) -> aside.isPresent() && each == level);
    }

    /**
     * Inspects all checkpoints of the run, and reads only the data of those at one place.
     *
     * @param level their level
     * @param archived the id of a checkpoint in the archive; empty for those at the level
     */
    public RunReport report(Level level, OptionalInt archived) throws IOException {
        return report((each, aside) -> {
            if (archived.isEmpty() || aside.isEmpty()) {
                return archived.isEmpty() && aside.isEmpty() && each == level;
            }
            // In the mode FTI-FF all archived checkpoints have one directory.
            return each == Level.L4
                    && (!config.mode().metadataApart()
                            || aside.get().metadata().endsWith(FileNames.archived(archived.getAsInt())));
        });
    }

    /** Returns the checkpoints that were kept on the nodes of which this machine sees the directories. */
    private List<RunInventory.Kept> kept() throws IOException {
        Map<Path, RunInventory.Kept> found = new TreeMap<>();
        for (int rank = 0; rank < ranks(); rank += config.nodeSize()) {
            for (RunInventory.Kept each : RunInventory.keptIn(new RunDirectory(config, execId, rank).local())) {
                found.put(Objects.requireNonNull(each.path().getFileName()), each);
            }
        }
        return List.copyOf(found.values());
    }

    private RunReport report(RankSurvey.Reading data) throws IOException {
        RestartOrder restartOrder = restartOrder();
        RunReportBuilder report = new RunReportBuilder(
                IntStream.range(0, ranks())
                        .filter(rank -> !isHead(rank))
                        .boxed()
                        .toList(),
                !config.mode().metadataApart(),
                restartOrder.levels());
        report.refused(restartOrder.problems());
        List<RunInventory.Kept> kept = kept();
        List<List<RankFindings>> seen = onEachRank((rank, refused) -> {
            List<RankFindings> found = rank.survey(restartOrder.levels(), kept, data);
            report.refused(refused);
            report.files(rank.files());
            return List.of(found);
        });
        for (int i = 0; i < seen.get(0).size(); i++) {
            int index = i;
            report.checkpoint(seen.stream().map(ofRank -> ofRank.get(index)).toList());
        }
        return report.build();
    }

    /**
     * The order in which a restart tries the levels.
     *
     * @param problems what is wrong with the list of checkpoints; a restart does without a damaged one, too
     */
    private record RestartOrder(List<Level> levels, List<RunReport.Problem> problems) {

        static RestartOrder read(RunDirectory directories) throws IOException {
            try {
                return new RestartOrder(CheckpointListFile.restartOrder(directories), List.of());
            } catch (IOException failed) {
                if (IoFailures.mayPass(failed)) {
                    throw failed;
                }
                return new RestartOrder(
                        List.of(Level.values()),
                        List.of(RunReportBuilder.problem(directories.checkpointList(), failed)));
            }
        }
    }

    private RestartOrder restartOrder() throws IOException {
        return RestartOrder.read(new RunDirectory(config, execId, 0));
    }

    @Override
    public Optional<RankFile> fetch(int rank, Path scratch) throws IOException {
        Objects.checkIndex(rank, ranks());
        if (isHead(rank)) {
            throw DrumlinException.during("looking for the data of rank " + rank)
                    .problem("it is a head, which has none")
                    .advice("the first of " + config.nodeSize() + " ranks of each node is a head; take another one")
                    .exception();
        }
        return fetch(each -> each == rank, scratch).stream().findFirst();
    }

    @Override
    public List<RankFile> fetchAll(Path scratch) throws IOException {
        return fetch(each -> true, scratch);
    }

    private List<RankFile> fetch(IntPredicate wanted, Path scratch) throws IOException {
        Map<Integer, Path> paths = new ConcurrentHashMap<>();
        List<Level> restartOrder = restartOrder().levels();
        List<RunInventory.Kept> kept = chosen.isPresent() ? kept() : List.of();
        return onEachRank(
                (survey, refused) -> survey.fetch(wanted, scratch, paths, survey.places(restartOrder, kept)).stream()
                        .toList());
    }

    /** Work of one application rank. */
    @FunctionalInterface
    private interface Body<T> {
        List<T> run(RankSurvey rank, List<RunReport.Problem> refused) throws IOException;
    }

    /** Runs a body on each application rank, and returns the results in the order of ranks. Heads have no files. */
    private <T> List<T> onEachRank(Body<T> body) throws IOException {
        List<Topology> topologies = topologies();
        int readers = Math.min(ranks(), Runtime.getRuntime().availableProcessors());
        List<SlabPool> slabs = IntStream.range(0, readers)
                .mapToObj(i -> new SlabPool(storage, SlabPool.SLABS, config.slabBytes()))
                .toList();
        try {
            // A few readers are shared by all ranks, because each needs some MiB of memory and a few keep the disk
            // busy.
            List<CheckpointReader> shared = slabs.stream()
                    .map(pool -> new CheckpointReader(storage, pool))
                    .toList();
            return ThreadCommunicator.<List<T>, IOException>call(ranks(), world -> {
                        List<RunReport.Problem> refused = new ArrayList<>();
                        CheckpointReader reader = shared.get(world.rank() % readers);
                        Topology topology = topologies.get(world.rank());
                        try (RankSurvey rank = new RankSurvey(
                                config, execId, order, storage, chosen, world, topology, reader, refused)) {
                            return topology.isHead() ? List.of() : body.run(rank, refused);
                        }
                    })
                    .stream()
                    .flatMap(List::stream)
                    .toList();
        } finally {
            slabs.forEach(SlabPool::close);
        }
    }

    private List<Topology> topologies() throws DrumlinException {
        int nodeSize = config.nodeSize();
        int[] nodeOf = order.nodeOfRank(nodeSize, config.heads());
        List<NodeIdentity> nodeOfRank = NodeIdentity.named(IntStream.range(0, ranks())
                .mapToObj(rank -> config.localTest() ? "node" + rank / nodeSize : nodeNames.get(nodeOf[rank]))
                .toList());
        return NodeList.of(config, nodeOfRank, Optional.of(order)).topologies(config.heads());
    }
}
