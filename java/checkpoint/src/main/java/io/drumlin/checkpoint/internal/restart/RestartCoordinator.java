package io.drumlin.checkpoint.internal.restart;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch.Span;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
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
        return inPlace.keepsAll();
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
        if (inPlace.passedOver()) {
            requireNoneInOtherModes();
        }
        Optional<StoredCheckpoint> taken = inPlace.recovery().lastFound();
        if (taken.isPresent()) {
            engine.log().recordContinuedFrom(taken.get());
            engine.levels().unmarkPassedOver(taken.get().level());
        }
        markDamaged(listed);
        return found;
    }

    /**
     * Finds the data of the restart in the archive of level 4, after {@link #find} has found nothing; otherwise like it.
     * Collective.
     */
    public Optional<RankCheckpoint> findInArchive(RecordedRankCounts listed) throws IOException {
        Optional<RankCheckpoint> found = new ArchiveRestart(engine, inPlace).find(listed);
        if (found.isPresent()) {
            markDamaged(listed);
        }
        return found;
    }

    /**
     * Marks the checkpoints that were damaged, so that they are not kept. One of other ranks, or of nodes in another
     * order, only looks damaged.
     */
    private void markDamaged(RecordedRankCounts listed) {
        boolean sameNodes = engine.run().orders().stream().allMatch(order -> order.isInPlace(Level.L1));
        if (sameNodes && listed.areOf(app.size())) {
            inPlace.recovery().damaged().forEach(engine.levels()::markPassedOver);
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

    /** @param all levels */
    private Optional<RankCheckpoint> findIn(List<Place> places, List<Level> all, RecordedRankCounts listed)
            throws IOException {
        for (int i = 0; i < places.size(); i++) {
            Optional<RankCheckpoint> found = findAt(places.get(i), places.subList(i + 1, places.size()), all, listed);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /**
     * Finds a checkpoint of a place, or a newer one. A place may have several checkpoints. If the first is not whole,
     * newer checkpoints than the next one are searched for again before it is used.
     */
    private Optional<RankCheckpoint> findAt(Place place, List<Place> later, List<Level> all, RecordedRankCounts listed)
            throws IOException {
        long tried = Long.MAX_VALUE;
        for (long position : recovery(place).positions(place.level)) {
            if (position < 0) {
                break;
            }
            Optional<RankCheckpoint> found = findNewer(position, tried, later, all, listed);
            if (found.isEmpty()) {
                found = find(place, Span.of(position), all, listed);
            }
            if (found.isPresent()) {
                return found;
            }
            tried = position;
        }
        return find(place, Span.before(tried), all, listed);
    }

    /** The place of a checkpoint, and its position in the log. */
    private record Known(long position, Place place) {}

    /**
     * Finds a checkpoint that the log records as newer, although its level is tried later. It has superseded the first
     * one.
     *
     * @param position lower bound of its position; it must be newer
     * @param tried upper bound of its position; newer checkpoints were already tried
     */
    private Optional<RankCheckpoint> findNewer(
            long position, long tried, List<Place> later, List<Level> all, RecordedRankCounts listed)
            throws IOException {
        Set<Level> levels = engine.log().levelsOfNewer(position);
        List<Known> newer = new ArrayList<>();
        for (Place place : later) {
            if (levels.contains(place.level)) {
                for (long there : recovery(place).positions(place.level)) {
                    if (there > position && there <= tried) {
                        newer.add(new Known(there, place));
                    }
                }
            }
        }
        newer.sort(Comparator.comparingLong(Known::position).reversed());
        for (Known known : newer) {
            Optional<RankCheckpoint> found = find(known.place, Span.of(known.position), all, listed);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<RankCheckpoint> find(Place place, Span span, List<Level> all, RecordedRankCounts listed)
            throws IOException {
        List<Level> older = all.subList(all.indexOf(place.level) + 1, all.size());
        return isInPlace(place)
                ? inPlace.find(place.level, span, older, listed)
                : relocation(place.order).find(place.level, span, older, listed);
    }

    private boolean isInPlace(Place place) {
        List<PreviousOrder> orders = engine.run().orders();
        return orders.isEmpty() || orders.get(place.order).isInPlace(place.level);
    }

    private CheckpointSearch recovery(Place place) throws IOException {
        return isInPlace(place) ? inPlace.recovery() : relocation(place.order).recovery();
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
