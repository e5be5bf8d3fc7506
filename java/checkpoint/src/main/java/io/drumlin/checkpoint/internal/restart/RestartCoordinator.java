package io.drumlin.checkpoint.internal.restart;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.PlaceAside;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.Candidate;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes the newest checkpoint that all ranks have readable. Tries the levels, and the orders of nodes in which their
 * files may lie, from the newest to the oldest (docs/formats/fti-run-directory.md, section 5).
 */
public final class RestartCoordinator {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final RejectedFiles rejected;
    private final RunDirectory directories;
    private final CheckpointReader reader;
    private final Engine engine;

    /** The restart of levels whose files lie in their places in the order of this run's nodes. */
    private final LevelRestart inPlace;

    /** The relocations, by the number of the order from which they move files. */
    private final Map<Integer, Relocation> relocations = new TreeMap<>();

    public RestartCoordinator(Engine engine) {
        this.engine = engine;
        app = engine.app();
        rejected = engine.rejected();
        directories = engine.directories();
        reader = engine.reader();
        inPlace = new LevelRestart(engine);
    }

    /** Returns whether no files may be moved or deleted until there is another checkpoint. */
    public boolean keepsAll() {
        return inPlace.search().keepsAll();
    }

    /**
     * Finds the data of the restart, the same checkpoint on all ranks. Collective.
     *
     * @param listed the number of ranks that stored each checkpoint; if it is larger than now, files of some ranks may
     *     be lost
     * @return this rank's data, on node-local storage or in the shared file; empty if no level has a whole checkpoint
     */
    public Optional<RankCheckpoint> find(RecordedRankCounts listed) throws IOException {
        List<Level> levels = order();
        int near = 0;
        for (int i = 0; i < levels.size(); i++) {
            near = levels.get(i).isGlobal() ? near : i + 1;
        }
        List<Place> places = new ArrayList<>();
        levels.subList(0, near).forEach(level -> places.add(new Place(0, level)));
        // Node-local checkpoints in an earlier order are newer than the checkpoint on the parallel file system, which
        // would have deleted them.
        for (int order = 1; order < engine.run().orders().size(); order++) {
            for (Level level : levels) {
                if (!level.isGlobal()) {
                    places.add(new Place(order, level));
                }
            }
        }
        levels.subList(near, levels.size()).forEach(level -> places.add(new Place(0, level)));
        // A restart that brings a checkpoint of level 4 to the nodes leaves it as it was, in the order in which it was
        // written.
        for (int order = 1;
                levels.contains(Level.L4) && order < engine.run().orders().size();
                order++) {
            places.add(new Place(order, Level.L4));
        }
        Optional<RankCheckpoint> found;
        try {
            found = findIn(places, levels, listed);
        } finally {
            for (Relocation relocation : relocations.values()) {
                relocation.close();
            }
        }
        if (found.isEmpty()) {
            // This rank's whole files of the last level are useless, because other ranks did not have theirs.
            reader.forget();
            return found;
        }
        if (inPlace.search().passedOver()) {
            requireNoneInOtherModes();
        }
        Optional<StoredCheckpoint> taken = inPlace.search().lastFound();
        if (taken.isPresent()) {
            engine.log().recordContinuedFrom(taken.get());
            engine.levels().unmarkPassedOver(taken.get().level());
        }
        markDamaged(listed);
        return found;
    }

    /**
     * Finds the data of the restart in the archive of level 4, after {@link #find} has found nothing; otherwise like it. The
     * checkpoint is recovered from where it is, and no file of it is changed. Collective.
     */
    public Optional<RankCheckpoint> findInArchive(RecordedRankCounts listed) throws IOException {
        for (PlaceAside archive : archives()) {
            IoMode mode = engine.modeAt(archive, rejected);
            CheckpointSearch search =
                    new CheckpointSearch(engine.context(), engine.levels(), archive, mode, engine.log());
            Optional<CheckpointSearch.Found> whole =
                    search.findUnchanged(Level.L4, ckptId -> inPlace.isOfTheseRanks(Level.L4, ckptId, listed));
            if (whole.isPresent()) {
                // What is left of newer checkpoints stays until there is another one.
                inPlace.search().passOver();
                engine.log().recordContinuedFrom(search.lastFound().orElseThrow());
            }
            Optional<RankCheckpoint> found =
                    whole.isPresent() ? Optional.of(inPlace.source(whole.get())) : inOtherOrders(archive, listed);
            if (found.isPresent()) {
                warn(found.get().file().ckptId());
                markDamaged(listed);
                return found;
            }
        }
        return Optional.empty();
    }

    /** Finds a checkpoint that was written when the nodes were in another order, or ranks dealt out in another way. */
    private Optional<RankCheckpoint> inOtherOrders(PlaceAside archive, RecordedRankCounts listed) throws IOException {
        List<PreviousOrder> orders = engine.run().orders();
        for (int order = 0; order < orders.size(); order++) {
            if (orders.get(order).isInPlace(Level.L4)) {
                continue;
            }
            try (Relocation relocation = new Relocation(engine, inPlace, order)) {
                Optional<RankCheckpoint> found = relocation.findArchived(archive, listed);
                if (found.isPresent()) {
                    engine.log()
                            .recordContinuedFrom(inPlace.search().lastFound().orElseThrow());
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private void warn(int ckptId) {
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "at no level the files that are left give one whole checkpoint on all ranks; going on from checkpoint"
                            + " {0} of the archive, {1}; what is left of newer ones stays until the run has taken another",
                    Integer.toString(ckptId),
                    directories.archive());
        }
    }

    /** Returns the places with archived checkpoints, the newest first. Collective. */
    private List<PlaceAside> archives() throws IOException {
        Path metadata = directories.metaArchive();
        String names = Agreement.call(
                app, "looking into " + directories.archive(), () -> app.rank() == 0 ? String.join("\n", names()) : "");
        return Agreement.bcast(app, names, 0)
                .lines()
                .map(name -> new PlaceAside(Level.L4, directories.archive(), metadata.resolve(name)))
                .toList();
    }

    /** Returns the names of the directories with metadata, relative to the archive's. */
    private List<String> names() throws IOException {
        boolean metadataApart = engine.config().mode().metadataApart();
        return PlaceAside.archives(directories, metadataApart, engine.storage()).stream()
                .map(archive -> metadataApart ? archive.metadata().getFileName().toString() : ".")
                .toList();
    }

    /**
     * Marks the checkpoints that were damaged, so that they are not kept. One of other ranks, or of nodes in another
     * order, only looks damaged.
     */
    private void markDamaged(RecordedRankCounts listed) {
        boolean sameNodes = engine.run().orders().stream().allMatch(order -> order.isInPlace(Level.L1));
        if (sameNodes && listed.areOf(app.size())) {
            inPlace.search().damaged().forEach(engine.levels()::markPassedOver);
        }
    }

    /**
     * Refuses to continue from an older checkpoint if the newer one may be whole in another mode. The modes with bare
     * data have the same files at levels 1 to 3, so the older checkpoint can be read in both. Lost files of the older one
     * have been rebuilt, and nothing has been deleted.
     */
    private void requireNoneInOtherModes() throws IOException {
        List<String> otherModes = new OtherModes(engine).find();
        if (!otherModes.isEmpty()) {
            throw DrumlinException.during("restart of run " + engine.run().execId())
                    .problem("a newer checkpoint than the one found was committed, and there are checkpoints of another"
                            + " mode: " + String.join(", ", otherModes))
                    .advice("restart with the ckpt_io of the run that wrote them")
                    .exception();
        }
    }

    /**
     * A place where there may be a checkpoint.
     *
     * @param order number of the order of nodes
     */
    private record Place(int order, Level level) {}

    /** A checkpoint of a place. */
    private record Placed(Place place, Candidate candidate) {

        boolean isSame(Placed other) {
            return place.equals(other.place) && candidate.entry().equals(other.candidate.entry());
        }
    }

    /** @param all levels */
    private Optional<RankCheckpoint> findIn(List<Place> places, List<Level> all, RecordedRankCounts listed)
            throws IOException {
        List<Placed> tried = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            Optional<Placed> next = next(places.get(i), places.subList(i + 1, places.size()), tried);
            while (next.isPresent()) {
                Optional<RankCheckpoint> found = makeReadable(next.get(), all, listed);
                if (found.isPresent()) {
                    return found;
                }
                tried.add(next.get());
                next = next(places.get(i), places.subList(i + 1, places.size()), tried);
            }
            CheckpointSearch search = search(places.get(i));
            search.passOverWhatIsLeft(places.get(i).level);
            inPlace.search().follow(search);
        }
        return Optional.empty();
    }

    /**
     * Returns the checkpoint to try next: that of a place, or one of a later place that the log says is newer. It has
     * superseded the first one.
     */
    private Optional<Placed> next(Place place, List<Place> later, List<Placed> tried) throws IOException {
        List<Placed> left = untried(place, tried);
        if (left.isEmpty()) {
            return Optional.empty();
        }
        Set<Level> newer = engine.log().levelsOfNewer(left.get(0).candidate.position());
        for (Place other : later) {
            left.addAll(newer.contains(other.level) ? untried(other, tried) : List.of());
        }
        return CommitOrder.newestFirst(left, each -> each.candidate.position()).stream()
                .findFirst();
    }

    private List<Placed> untried(Place place, List<Placed> tried) throws IOException {
        List<Placed> found = new ArrayList<>();
        for (Candidate each : search(place).list(place.level)) {
            found.add(new Placed(place, each));
        }
        found.removeIf(each -> tried.stream().anyMatch(each::isSame));
        return found;
    }

    private Optional<RankCheckpoint> makeReadable(Placed next, List<Level> all, RecordedRankCounts listed)
            throws IOException {
        Place place = next.place;
        List<Level> older = all.subList(all.indexOf(place.level) + 1, all.size());
        return isInPlace(place)
                ? inPlace.makeReadable(next.candidate, older, listed)
                : relocation(place.order).makeReadable(next.candidate, older, listed);
    }

    private boolean isInPlace(Place place) {
        List<PreviousOrder> orders = engine.run().orders();
        return orders.isEmpty() || orders.get(place.order).isInPlace(place.level);
    }

    private CheckpointSearch search(Place place) throws IOException {
        return isInPlace(place) ? inPlace.search() : relocation(place.order).search();
    }

    private Relocation relocation(int order) {
        return relocations.computeIfAbsent(order, number -> new Relocation(engine, inPlace, number));
    }

    /** Returns the levels, with the newest checkpoint first as far as known. Collective. */
    public List<Level> order() throws IOException {
        StringBuilder names = new StringBuilder();
        if (app.rank() == 0) {
            Path list = directories.checkpointList();
            rejected.succeeds("reading", list, () -> CheckpointListFile.restartOrder(directories)
                    .forEach(level -> names.append(level).append(' ')));
        }
        rejected.requireReadable();
        String agreed = Agreement.bcast(app, names.toString(), 0);
        return agreed.isEmpty()
                ? List.of(Level.values())
                : Stream.of(agreed.split(" ")).map(Level::valueOf).toList();
    }
}
