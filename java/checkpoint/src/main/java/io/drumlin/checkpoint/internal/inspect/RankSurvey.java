package io.drumlin.checkpoint.internal.inspect;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.RunReport;
import io.drumlin.checkpoint.RunSurvey.Part;
import io.drumlin.checkpoint.RunSurvey.RankFile;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.PlaceAside;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.engine.IoModes;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.file.StoredFile.Chunk;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.CommitLog;
import io.drumlin.checkpoint.internal.recovery.Left;
import io.drumlin.checkpoint.internal.recovery.LostFiles;
import io.drumlin.checkpoint.internal.recovery.RankFindings;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.NodeOrder;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.integrity.Md5Lanes;
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
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** The part of the engine with which a rank restarts. */
final class RankSurvey implements AutoCloseable {

    /** Says at which level, or at which place aside, data are read. */
    @FunctionalInterface
    interface Reading {
        boolean isWanted(Level level, Optional<PlaceAside> aside);
    }

    private final FtiConfig config;
    private final NodeOrder order;
    private final StorageEngine storage;
    private final OptionalInt chosen;
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

    /** The checkpoint that a restart passes over for the one that is fetched, in words. */
    private Optional<String> passedOver = Optional.empty();

    /**
     * @param chosen the checkpoint that is fetched; empty for the one that a restart would use
     * @param refused receives what is wrong
     */
    RankSurvey(
            FtiConfig config,
            String execId,
            NodeOrder order,
            StorageEngine storage,
            OptionalInt chosen,
            Communicator world,
            Topology topology,
            CheckpointReader reader,
            List<RunReport.Problem> refused)
            throws IOException {
        this.config = config;
        this.order = order;
        this.storage = storage;
        this.chosen = chosen;
        this.topology = topology;
        this.reader = reader;
        app = topology.own(world);
        node = topology.ofNode(app);
        group = Group.of(app, topology, config.groupSize());
        fileRank = topology.fileRank();
        directories = new RunDirectory(config, execId, world.rank());
        boolean metadata = config.mode().metadataApart();
        Archive archive = new Archive(directories, storage, config.kept(), metadata);
        levels = new CommitProtocol(app, topology, directories, storage, archive, metadata ? 1 : 0);
        rejected = new RejectedFiles(app, (path, why) -> refused.add(RunReportBuilder.problem(path, why)));
        log = new CommitLog(app, directories.commitLog(), storage);
    }

    private CheckpointSearch recovery(CheckpointDirectories places) {
        // Nothing is written, so the pool stays empty.
        SlabPool slabs = new SlabPool(storage, Md5Lanes.LANES, config.slabBytes());
        RankContext context = context(app, slabs);
        IoMode mode = IoModes.of(context, config, places, config.packing());
        return new CheckpointSearch(context, levels, places, mode, log);
    }

    private RankContext context(Communicator ranks, SlabPool slabs) {
        boolean byPlace = order.numbering().isEmpty(); // then C FTI has written it
        return new RankContext(
                ranks, node, group, topology, byPlace, storage, slabs, reader, rejected, RunEvents.none());
    }

    List<RankFindings> survey(List<Level> restartOrder, List<RunInventory.Kept> kept, Reading data) throws IOException {
        List<RankFindings> seen = new ArrayList<>();
        CheckpointSearch recovery = recovery(levels);
        for (Level level : restartOrder) {
            for (Left left : recovery.survey(level, data.isWanted(level, Optional.empty()))) {
                seen.add(seen(left, levels));
            }
        }
        for (PlaceAside place : aside(kept)) {
            for (Left left : recovery(place).survey(place.level(), data.isWanted(place.level(), Optional.of(place)))) {
                seen.add(seen(left, place));
            }
        }
        return seen;
    }

    /** Returns the places beside those of the levels, in the order in which they are listed. */
    private List<PlaceAside> aside(List<RunInventory.Kept> kept) throws IOException {
        List<PlaceAside> places =
                new ArrayList<>(PlaceAside.archives(directories, config.mode().metadataApart(), storage));
        kept.forEach(each -> places.add(PlaceAside.of(directories, each)));
        return places;
    }

    private RankFindings seen(Left left, CheckpointDirectories places) {
        Path directory = places.directory(left.level(), left.slot());
        List<Path> expected = FileKind.of(left.level()).stream()
                .map(kind -> directory.resolve(left.stored().fileName(kind)))
                .toList();
        return new RankFindings(fileRank, left, expected);
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
            IntPredicate wanted, Path scratch, Map<Integer, Path> paths, Map<CheckpointDirectories, List<Level>> places)
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
    Map<CheckpointDirectories, List<Level>> places(List<Level> restartOrder, List<RunInventory.Kept> kept)
            throws IOException {
        Map<CheckpointDirectories, List<Level>> places = new LinkedHashMap<>();
        places.put(levels, restartOrder);
        aside(kept).forEach(place -> places.put(place, List.of(place.level())));
        return places;
    }

    /** Ids come again after a restart. Which of two is the later one is not known if they are at two places. */
    private void requireOnly(
            Left left, CheckpointDirectories place, Optional<Left> other, Optional<CheckpointDirectories> where)
            throws DrumlinException {
        if (other.isPresent() && where.isPresent()) {
            throw DrumlinException.during(
                            "looking for checkpoint " + left.stored().ckptId())
                    .path(where.get().directory(other.get().level(), other.get().slot()))
                    .problem("there are several checkpoints " + left.stored().ckptId() + ", another one is in "
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
        for (Left seen : CommitOrder.newestFirst(all, each -> each.candidate().position())) {
            // Which of several differential checkpoints a file has is known when it was read.
            if (!isChosen(seen) && seen.level() != Level.L4_DCP) {
                continue;
            }
            Left left = recovery.survey(seen.candidate(), true);
            if (left.recoverable() && isChosen(left)) {
                passOver(log.newerThan(seen.candidate().position()));
                passOver(
                        left.level() == Level.L4_DCP && rejected.anyOnARank()
                                ? Optional.of("a differential checkpoint after checkpoint "
                                        + left.stored().ckptId())
                                : Optional.empty());
                return Optional.of(left);
            }
            passOver(
                    wasCommitted(seen.stored())
                            ? Optional.of(CommitLog.words(
                                    seen.stored().ckptId(), seen.stored().level()))
                            : Optional.empty());
        }
        return Optional.empty();
    }

    private boolean isChosen(Left left) {
        return chosen.isEmpty() || left.stored().ckptId() == chosen.getAsInt();
    }

    private void passOver(Optional<String> newer) {
        passedOver = passedOver.or(() -> newer);
    }

    /** Returns whether any rank has a file of a checkpoint, and not only of one whose commit had begun. Collective. */
    private boolean wasCommitted(StoredCheckpoint stored) throws IOException {
        boolean here = stored.places().values().stream()
                .flatMap(List::stream)
                .anyMatch(place -> place.slot() != CommitSlot.TMP);
        return Agreement.any(app, here);
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
            paths.put((int) ranks[neighbour], directory.resolve(left.stored().fileName(FileKind.PARTNER)));
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
        Path metadata = config.mode().metadataApart()
                ? places.metadataDirectory(stored.level(), stored.metadataSlot())
                        .resolve(MetadataFiles.name(group))
                : null;
        return new RankFile(
                fileRank,
                left.level(),
                stored.ckptId(),
                left.source(),
                path,
                variables,
                metadata,
                group.index(),
                chosen.isPresent() ? Optional.empty() : passedOver);
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
            Files.createSymbolicLink(own.resolve(name), directory.resolve(name).toAbsolutePath());
        }
        try (SlabPool slabs = new SlabPool(storage, Md5Lanes.LANES, config.slabBytes())) {
            new LostFiles(context(group.comm(), slabs), left.stored(), own, whole).decode();
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
