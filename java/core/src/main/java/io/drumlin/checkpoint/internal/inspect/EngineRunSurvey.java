package io.drumlin.checkpoint.internal.inspect;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.ArchiveDirectories;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.KeptDirectories;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.engine.IoModes;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.io.WatchedEngine;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch.Left;
import io.drumlin.checkpoint.internal.recovery.CommitLog;
import io.drumlin.checkpoint.internal.recovery.FileRebuilder;
import io.drumlin.checkpoint.internal.recovery.RankFindings;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.NodeIdentity;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.StoredNames;
import io.drumlin.format.fti.IniFile;
import io.drumlin.integrity.Md5Lanes;
import io.drumlin.storage.IoFailures;
import io.drumlin.storage.NioEngine;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
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

    EngineRunSurvey(FtiConfig config, String execId, NodeOrder order, StorageEngine storage, OptionalInt chosen) {
        this.storage = storage;
        this.order = order;
        this.config = config;
        this.execId = execId;
        this.chosen = chosen;
        nodeNames = order.nodeNames();
    }

    @Override
    public EngineRunSurvey watchedBy(LongConsumer read) {
        return new EngineRunSurvey(config, execId, order, new WatchedEngine(storage, read), chosen);
    }

    @Override
    public EngineRunSurvey choosing(int ckptId) {
        return new EngineRunSurvey(config, execId, order, storage, OptionalInt.of(ckptId));
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
        checkRanks(config, nodeNames.size(), TopologyFile.ranks(topology), topologyFile);
        return new EngineRunSurvey(config, run, order, new NioEngine(), OptionalInt.empty());
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
    public int failure() {
        return config.failure();
    }

    @Override
    public int ioMode() {
        return config.ioMode();
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
        return report((level, archive) -> data, level -> data);
    }

    /** Inspects all checkpoints of the run, and reads only the data of those of a level that were kept on the nodes. */
    public RunReport reportKept(Level level) throws IOException {
        return report((each, archive) -> false, level::equals);
    }

    /**
     * Inspects all checkpoints of the run, and reads only the data of those at one place.
     *
     * @param level their level
     * @param archived the id of a checkpoint in the archive; empty for those at the level
     */
    public RunReport report(Level level, OptionalInt archived) throws IOException {
        return report(
                (each, archive) -> {
                    if (archived.isEmpty()) {
                        return archive.isEmpty() && each == level;
                    }
                    // In the mode FTI-FF all archived checkpoints have one directory.
                    return archive.isPresent()
                            && (config.ioMode() == FtiConfig.IO_FTIFF
                                    || archive.get().metadata().endsWith("Ckpt_" + archived.getAsInt()));
                },
                kept -> false);
    }

    /** Says at which level, or at which place in the archive, data are read. */
    @FunctionalInterface
    private interface Reading {
        boolean isWanted(Level level, Optional<ArchiveDirectories> archive);
    }

    /** Returns the checkpoints that were kept on the nodes of which this machine sees the directories. */
    private List<KeptOnNodes.Kept> kept() throws IOException {
        Map<Path, KeptOnNodes.Kept> found = new TreeMap<>();
        for (int rank = 0; rank < ranks(); rank += config.nodeSize()) {
            for (KeptOnNodes.Kept each : KeptOnNodes.in(new RunDirectory(config, execId, rank).local())) {
                found.put(Objects.requireNonNull(each.path().getFileName()), each);
            }
        }
        return List.copyOf(found.values());
    }

    /** @param ofKept whether data of the checkpoints of a level are read that were kept on the nodes */
    private RunReport report(Reading data, Predicate<Level> ofKept) throws IOException {
        RestartOrder restartOrder = restartOrder();
        RunReportBuilder report = new RunReportBuilder(
                IntStream.range(0, ranks())
                        .filter(rank -> !isHead(rank))
                        .boxed()
                        .toList(),
                config.ioMode() == FtiConfig.IO_FTIFF,
                restartOrder.levels());
        report.refused(restartOrder.problems());
        List<KeptOnNodes.Kept> kept = kept();
        List<List<RankFindings>> seen = onEachRank((rank, refused) -> {
            List<RankFindings> found = new ArrayList<>(rank.survey(restartOrder.levels(), data));
            found.addAll(rank.surveyKept(kept, ofKept));
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
        List<KeptOnNodes.Kept> kept = chosen.isPresent() ? kept() : List.of();
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
                        try (RankSurvey rank = new RankSurvey(world, topology, reader, refused)) {
                            return rank.topology.isHead() ? List.of() : body.run(rank, refused);
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

    /** The part of the engine with which a rank restarts. */
    private final class RankSurvey implements AutoCloseable {

        private final Communicator app;
        private final Communicator node;
        private final Topology topology;
        private final Group group;
        private final int fileRank;
        private final RunDirectory directories;
        private final CommitProtocol levels;
        private final CheckpointReader reader;
        private final RejectedFiles rejected;
        private final CommitLog log;

        RankSurvey(Communicator world, Topology topology, CheckpointReader reader, List<RunReport.Problem> refused)
                throws IOException {
            this.topology = topology;
            this.reader = reader;
            app = topology.own(world);
            node = topology.ofNode(app);
            group = Group.of(app, topology, config.groupSize());
            fileRank = topology.fileRank();
            directories = new RunDirectory(config, execId, world.rank());
            boolean metadata = config.ioMode() != FtiConfig.IO_FTIFF;
            Archive archive = new Archive(directories, storage, config.kept(), metadata, Optional.empty());
            levels = new CommitProtocol(app, topology, directories, storage, archive, metadata ? 1 : 0);
            rejected = new RejectedFiles(app, (path, why) -> refused.add(RunReportBuilder.problem(path, why)));
            log = new CommitLog(app, directories.commitLog(), storage);
        }

        private CheckpointSearch recovery(CheckpointDirectories places) {
            // Nothing is written, so the pool stays empty.
            SlabPool slabs = new SlabPool(storage, Md5Lanes.LANES, config.slabBytes());
            boolean byPlace = order.numbering().isEmpty(); // then C FTI has written it
            RankContext context = new RankContext(
                    app, node, group, topology, byPlace, storage, slabs, reader, rejected, RunEvents.none());
            IoMode mode = IoModes.of(context, config, places, config.packing());
            FileRebuilder rebuilder = new FileRebuilder(app, group, storage, slabs, reader);
            return new CheckpointSearch(context, levels, mode, rebuilder, log);
        }

        List<RankFindings> survey(List<Level> restartOrder, Reading data) throws IOException {
            List<RankFindings> seen = new ArrayList<>();
            CheckpointSearch recovery = recovery(levels);
            for (Level level : restartOrder) {
                List<Left> found = recovery.survey(level, data.isWanted(level, Optional.empty()));
                long[] positions = recovery.positions(found);
                for (int i = 0; i < found.size(); i++) {
                    seen.add(seen(found.get(i), levels, positions[i], false));
                }
            }
            for (ArchiveDirectories archive : archives()) {
                for (Left left : recovery(archive).survey(Level.L4, data.isWanted(Level.L4, Optional.of(archive)))) {
                    seen.add(seen(left, archive, -1, true));
                }
            }
            return seen;
        }

        List<RankFindings> surveyKept(List<KeptOnNodes.Kept> kept, Predicate<Level> data) throws IOException {
            List<RankFindings> seen = new ArrayList<>();
            for (KeptOnNodes.Kept each : kept) {
                KeptDirectories places = KeptDirectories.of(directories, each.level(), each.ckptId());
                for (Left left : recovery(places).survey(each.level(), data.test(each.level()))) {
                    seen.add(seen(left, places, -1, false));
                }
            }
            return seen;
        }

        private List<ArchiveDirectories> archives() throws IOException {
            return ArchiveDirectories.in(directories, config.ioMode() != FtiConfig.IO_FTIFF, storage);
        }

        private RankFindings seen(Left left, CheckpointDirectories places, long position, boolean archived) {
            Path directory = places.directory(left.level(), left.slot());
            List<Path> expected = FileKind.of(left.level()).stream()
                    .map(kind -> directory.resolve(left.stored().fileName(kind)))
                    .toList();
            return new RankFindings(fileRank, left, position, archived, expected);
        }

        /** Returns the checkpoint files of any rank in the directories on which this rank works. */
        List<Path> files() throws IOException {
            List<Path> files = new ArrayList<>();
            if (levels.isMaster(Level.L4)) {
                files.addAll(RunReportBuilder.checkpointFiles(directories.archive()));
            }
            for (Level level : Level.values()) {
                for (CommitSlot slot : CommitSlot.values()) {
                    if (levels.isMaster(level)) {
                        files.addAll(RunReportBuilder.checkpointFiles(levels.directory(level, slot)));
                    }
                }
            }
            return files;
        }

        /**
         * Returns the file on the rank to which it belongs, if that is wanted.
         *
         * @param paths receives the paths of the files, by rank
         */
        Optional<RankFile> fetch(
                IntPredicate wanted,
                Path scratch,
                Map<Integer, Path> paths,
                Map<CheckpointDirectories, List<Level>> places)
                throws IOException {
            Optional<CheckpointDirectories> found = Optional.empty();
            Optional<Left> left = Optional.empty();
            for (Map.Entry<CheckpointDirectories, List<Level>> each : places.entrySet()) {
                Optional<Left> here = newest(recovery(each.getKey()), each.getValue());
                if (here.isPresent()) {
                    requireOnly(here.get(), each.getKey(), left, found);
                    left = here;
                    found = Optional.of(each.getKey());
                    if (chosen.isEmpty()) {
                        break;
                    }
                }
            }
            if (left.isEmpty() || found.isEmpty()) {
                return Optional.empty();
            }
            find(left.get(), found.get(), wanted, scratch, paths);
            app.barrier();
            return wanted.test(fileRank)
                    ? Optional.of(open(left.get(), found.get(), Objects.requireNonNull(paths.get(fileRank))))
                    : Optional.empty();
        }

        /** Returns where checkpoints may be, in the order of a restart, and those of which levels. */
        Map<CheckpointDirectories, List<Level>> places(List<Level> restartOrder, List<KeptOnNodes.Kept> kept)
                throws IOException {
            Map<CheckpointDirectories, List<Level>> places = new LinkedHashMap<>();
            places.put(levels, restartOrder);
            archives().forEach(archive -> places.put(archive, List.of(Level.L4)));
            for (KeptOnNodes.Kept each : kept) {
                places.put(KeptDirectories.of(directories, each.level(), each.ckptId()), List.of(each.level()));
            }
            return places;
        }

        /** Ids come again after a restart. Which of two is the later one is not known if they are at two places. */
        private void requireOnly(
                Left left, CheckpointDirectories place, Optional<Left> other, Optional<CheckpointDirectories> where)
                throws DrumlinException {
            if (other.isPresent() && where.isPresent()) {
                throw DrumlinException.during(
                                "looking for checkpoint " + left.stored().ckptId())
                        .path(where.get()
                                .directory(other.get().level(), other.get().slot()))
                        .problem(
                                "there are several checkpoints " + left.stored().ckptId() + ", another one is in "
                                        + place.directory(left.level(), left.slot()))
                        .advice("name files of the one that you mean")
                        .exception();
            }
        }

        /** Returns the checkpoint that a restart would take from a place, or the chosen one. */
        private Optional<Left> newest(CheckpointSearch recovery, List<Level> order) throws IOException {
            List<Left> all = new ArrayList<>();
            for (Level level : order) {
                all.addAll(recovery.survey(level, false));
            }
            for (Left seen : CommitOrder.inOrder(all, recovery.positions(all))) {
                if (chosen.isPresent() && seen.stored().ckptId() != chosen.getAsInt()) {
                    continue;
                }
                Left left = recovery.survey(seen.stored());
                if (left.recoverable()) {
                    return Optional.of(left);
                }
            }
            return Optional.empty();
        }

        /** Puts the files that this rank has, for itself or its neighbour, into {@code paths}. */
        private void find(
                Left left, CheckpointDirectories places, IntPredicate wanted, Path scratch, Map<Integer, Path> paths)
                throws IOException {
            long[] ranks = group.gather(fileRank);
            long[] own = group.gather(left.source() == DataSource.OWN_FILE ? 1 : 0);
            Path directory = places.directory(left.level(), left.slot());
            boolean lost = IntStream.range(0, ranks.length).anyMatch(i -> own[i] == 0 && wanted.test((int) ranks[i]));
            if (lost && left.level() == Level.L3) {
                directory = decode(left, directory, scratch);
            }
            if (own[group.index()] == 1 || left.level() == Level.L3) {
                paths.put(fileRank, directory.resolve(left.stored().fileName(FileKind.PLAIN)));
            }
            int neighbour = group.left();
            if (own[neighbour] == 0 && left.level() == Level.L2) {
                paths.put(
                        (int) ranks[neighbour], directory.resolve(left.stored().fileName(FileKind.PARTNER)));
            }
        }

        private RankFile open(Left left, CheckpointDirectories places, Path path) throws IOException {
            StoredFile file = left.stored().open(path);
            SortedMap<Integer, List<Part>> variables = new TreeMap<>();
            file.sizes().keySet().forEach(id -> variables.put(id, new ArrayList<>()));
            file.chunks().stream().sorted(Comparator.comparingLong(Chunk::from)).forEach(chunk -> variables
                    .computeIfAbsent(chunk.id(), id -> new ArrayList<>())
                    .add(new Part(chunk.offset(), chunk.length())));
            StoredCheckpoint stored = left.stored();
            Path metadata = config.ioMode() == FtiConfig.IO_FTIFF
                    ? null
                    : places.metadataDirectory(stored.level(), stored.metadataSlot())
                            .resolve(MetadataFiles.name(group));
            return new RankFile(
                    fileRank, left.level(), stored.ckptId(), left.source(), path, variables, metadata, group.index());
        }

        /**
         * Rebuilds the lost files of the group next to links to the existing ones, because nothing may be written to
         * the directories of these.
         */
        private Path decode(Left left, Path directory, Path scratch) throws IOException {
            Path own = Files.createDirectories(scratch.resolve("rank" + fileRank));
            EnumSet<FileKind> whole = EnumSet.copyOf(left.whole());
            for (FileKind kind : whole) {
                String name = left.stored().fileName(kind);
                Files.createSymbolicLink(
                        own.resolve(name), directory.resolve(name).toAbsolutePath());
            }
            try (SlabPool slabs = new SlabPool(storage, Md5Lanes.LANES, config.slabBytes())) {
                new FileRebuilder(group.comm(), group, storage, slabs, reader).decode(left.stored(), own, whole);
            }
            return own;
        }

        @Override
        public void close() throws IOException {
            group.close();
            node.close();
            app.close();
        }
    }
}
