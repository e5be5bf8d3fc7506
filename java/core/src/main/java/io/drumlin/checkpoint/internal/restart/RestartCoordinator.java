package io.drumlin.checkpoint.internal.restart;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.elastic.RecordedRankCounts;
import io.drumlin.checkpoint.internal.engine.Engine;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch.Span;
import io.drumlin.checkpoint.internal.topology.PreviousOrder;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
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
 * Brings the newest checkpoint that all ranks have to where it can be read: tries the levels, and the orders of nodes in which their
 * files may lie, in the order of what is newest (docs/formats/fti-run-directory.md, section 5).
 */
public final class RestartCoordinator {

    private final Communicator app;
    private final RejectedFiles rejected;
    private final RunDirectory directories;
    private final CheckpointReader reader;
    private final Engine engine;

    /** Of the levels whose files are where they are looked for in the order of this run's nodes. */
    private final LevelRestart inPlace;

    /** By the number of the order from which they bring files. */
    private final Map<Integer, Relocation> relocations = new TreeMap<>();

    public RestartCoordinator(Engine engine) {
        this.engine = engine;
        app = engine.app();
        rejected = engine.rejected();
        directories = engine.directories();
        reader = engine.reader();
        inPlace = new LevelRestart(engine);
    }

    /** Whether there is a newer checkpoint than what was found: all stays where it is until there is another. */
    public boolean passedOver() {
        return inPlace.passedOver();
    }

    /**
     * The data of the restart, the same checkpoint on all ranks. Collective.
     *
     * @param listed how many ranks stored the checkpoints: of one of more than there are now the files of some may be lost
     * @return this rank's, on node-local storage or in the shared file; empty if no level gives a whole one
     */
    public Optional<RankCheckpoint> find(RecordedRankCounts listed) throws IOException {
        List<Level> levels = order();
        int near = 0;
        for (int i = 0; i < levels.size(); i++) {
            near = levels.get(i).isGlobal() ? near : i + 1;
        }
        List<Place> places = new ArrayList<>();
        levels.subList(0, near).forEach(level -> places.add(new Place(0, level)));
        // What is on the nodes in an order before is newer than what is on the parallel file system: that would have
        // deleted it.
        for (int order = 1; order < engine.run().orders().size(); order++) {
            for (Level level : levels) {
                if (!level.isGlobal()) {
                    places.add(new Place(order, level));
                }
            }
        }
        levels.subList(near, levels.size()).forEach(level -> places.add(new Place(0, level)));
        Optional<RankCheckpoint> found;
        try {
            found = findIn(places, levels, listed);
        } finally {
            for (Relocation relocation : relocations.values()) {
                relocation.close();
            }
        }
        if (found.isEmpty()) {
            // What this rank found whole at the last level is of no use, for others did not.
            reader.forget();
        } else if (inPlace.recovery().taken().isPresent()) {
            engine.log().goOn(inPlace.recovery().taken().get());
        }
        return found;
    }

    /**
     * Where there may be a checkpoint.
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
     * A checkpoint of a place, or a newer one. A place may have several: before an older one of them is taken, because the
     * first is not whole, what is newer than that is looked for again.
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

    /** Where a checkpoint is, and where it stands in the log. */
    private record Known(long position, Place place) {}

    /**
     * What the log knows to be newer, though by its level it is looked at later: what is first was superseded by it.
     *
     * @param position than which it is newer
     * @param tried than which it is not newer: all those were tried
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

    /** The levels, the newest checkpoint first as far as that is known. Collective. */
    public List<Level> order() throws IOException {
        StringBuilder names = new StringBuilder();
        if (app.rank() == 0) {
            Path list = directories.checkpointList();
            rejected.succeeds("reading", list, () -> CheckpointListFile.restartOrder(list)
                    .forEach(level -> names.append(level).append(' ')));
        }
        rejected.requireReadable();
        String agreed = Agreement.bcast(app, names.toString(), 0);
        return agreed.isEmpty()
                ? List.of(Level.values())
                : Stream.of(agreed.split(" ")).map(Level::valueOf).toList();
    }
}
