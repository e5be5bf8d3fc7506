package io.drumlin.checkpoint;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Brings the newest checkpoint that all ranks have to where it can be read: finds the level, makes again what is missing of it and
 * copies it to the node if it was on the parallel file system only (docs/formats/fti-run-directory.md, section 5).
 */
final class Restart {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Refusals refusals;
    private final RunDirectory directories;
    private final LevelDirectories levels;
    private final IoMode mode;
    private final LevelCopy copy;
    private final Recovery recovery;
    private final CheckpointReader reader;
    private final Engine engine;

    /** By the number of the order from which they bring files. */
    private final Map<Integer, Relocation> relocations = new TreeMap<>();

    Restart(Engine engine) {
        this.engine = engine;
        app = engine.app();
        refusals = engine.refusals();
        directories = engine.directories();
        levels = engine.levels();
        mode = engine.mode();
        copy = engine.copy();
        Group group = engine.group();
        Restoration restoration = new Restoration(
                app, group, engine.storage(), engine.slabs(), engine.reader().kept());
        reader = engine.reader();
        recovery = new Recovery(
                app,
                engine.node(),
                engine.run().topology(),
                group,
                levels,
                mode,
                restoration,
                engine.storage(),
                engine.reader(),
                refusals,
                engine.log());
    }

    /**
     * The data of the restart, the same checkpoint on all ranks. Collective.
     *
     * @param listed how many ranks stored the checkpoints: of one of more than there are now the files of some may be lost
     * @return this rank's, on node-local storage or in the shared file; empty if no level gives a whole one
     */
    Optional<Source> find(ListedRanks listed) throws IOException {
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
        Optional<Source> found;
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
        } else if (recovery.taken().isPresent()) {
            engine.log().goOn(recovery.taken().get());
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
    private Optional<Source> findIn(List<Place> places, List<Level> all, ListedRanks listed) throws IOException {
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            Optional<Source> found = Optional.empty();
            long position = recovery(place).newest(place.level);
            if (position >= 0) {
                found = findNewer(position, places.subList(i + 1, places.size()), all, listed);
            }
            if (found.isEmpty()) {
                found = find(place, -1, all, listed);
            }
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** What the log knows to be newer, though by its level it is looked at later: what is first was superseded by it. */
    private Optional<Source> findNewer(long position, List<Place> later, List<Level> all, ListedRanks listed)
            throws IOException {
        Set<Level> levels = engine.log().levelsOfNewer(position);
        NavigableMap<Long, Place> newer = new TreeMap<>(Comparator.reverseOrder());
        for (Place place : later) {
            long there = levels.contains(place.level) ? recovery(place).newest(place.level) : -1;
            if (there > position) {
                newer.putIfAbsent(there, place);
            }
        }
        for (Place place : newer.values()) {
            Optional<Source> found = find(place, position, all, listed);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Source> find(Place place, long after, List<Level> all, ListedRanks listed) throws IOException {
        List<Level> older = all.subList(all.indexOf(place.level) + 1, all.size());
        return isInPlace(place)
                ? find(place.level, after, older, listed)
                : relocation(place.order).find(place.level, after, older, listed);
    }

    private boolean isInPlace(Place place) {
        List<FormerOrder> orders = engine.run().orders();
        return orders.isEmpty() || orders.get(place.order).isInPlace(place.level);
    }

    private Recovery recovery(Place place) throws IOException {
        return isInPlace(place) ? recovery : relocation(place.order).recovery();
    }

    private Relocation relocation(int order) {
        return relocations.computeIfAbsent(order, number -> new Relocation(engine, this, number));
    }

    /** Finds checkpoints and makes them whole. */
    Recovery recovery() {
        return recovery;
    }

    /**
     * The data of a level, where every rank's file is where it is looked for in the order of this run's nodes. Collective.
     *
     * @param after as {@link Recovery#find}
     * @param older levels
     */
    Optional<Source> find(Level level, long after, List<Level> older, ListedRanks listed) throws IOException {
        Optional<Recovery.Found> found = locate(level, after, older, listed);
        return found.isPresent() ? Optional.of(source(found.get())) : Optional.empty();
    }

    /** The file of a level, made whole and in its place; nothing is copied. Parameters as those of {@link #find}. Collective. */
    Optional<Recovery.Found> locate(Level level, long after, List<Level> older, ListedRanks listed) throws IOException {
        Optional<Recovery.Found> found = recovery.find(level, after).filter(each -> isOfTheseRanks(each, listed));
        if (found.isPresent() && settle(older)) {
            // What is recovered is what was verified: once more, because nothing is left of that.
            return recovery.find(level, after);
        }
        return found;
    }

    private boolean isOfTheseRanks(Recovery.Found found, ListedRanks listed) {
        Set<Integer> stored = listed.of(found.level(), found.file().ckptId());
        return !found.level().isGlobal() || stored.isEmpty() || stored.contains(app.size());
    }

    /** Whether there was anything to settle. Collective. */
    private boolean settle(List<Level> older) throws IOException {
        boolean any = false;
        for (Level level : older) {
            any |= recovery.settle(level);
        }
        return any;
    }

    /** Whether there is a newer checkpoint than what was found: all stays where it is until there is another. */
    boolean passedOver() {
        return recovery.passedOver();
    }

    /** The levels, the newest checkpoint first as far as that is known. Collective. */
    List<Level> order() throws IOException {
        StringBuilder names = new StringBuilder();
        if (app.rank() == 0) {
            Path list = directories.checkpointList();
            refusals.succeeds("reading", list, () -> CheckpointList.restartOrder(list)
                    .forEach(level -> names.append(level).append(' ')));
        }
        refusals.requireReadable();
        String agreed = Agreement.bcast(app, names.toString(), 0);
        return agreed.isEmpty()
                ? List.of(Level.values())
                : Stream.of(agreed.split(" ")).map(Level::valueOf).toList();
    }

    private Source source(Recovery.Found found) throws IOException {
        StoredFile file = found.file();
        StoredFile apart =
                file.movedBy(-file.whole().map(StoredFile.Chunk::offset).orElse(0L));
        if (!mode.isCopiedToNodes(found.level())) {
            return new Source(found.level(), found.path(), apart);
        }
        if (recovery.passedOver()) {
            // The copy would take the place of what is left of the newer one.
            return new Source(found.level(), found.path(), file);
        }
        try {
            return new Source(found.level(), copyToLocal(found), apart);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException failed) {
            long[] damaged = {failed instanceof DamagedException ? 1 : 0};
            app.allreduce(damaged, Op.MAX);
            doWithoutCopy(found, failed, damaged[0] == 1);
            if (damaged[0] == 1) {
                // It was verified before: somebody writes to it, or reads give wrong bytes.
                throw failed;
            }
            return new Source(found.level(), found.path(), file);
        }
    }

    /** As C FTI: what was recovered from the parallel file system becomes the node-local checkpoint. */
    private Path copyToLocal(Recovery.Found found) throws IOException {
        levels.prepare(Level.L1);
        copy.copyToTmp(found.path(), found.file(), Level.L1);
        levels.commit(Level.L1);
        return directories.committed(Level.L1).resolve(mode.copyName(Level.L1, found.path()));
    }

    /** The nodes may have no room: what is whole on the parallel file system is recovered from there. Collective. */
    private void doWithoutCopy(Recovery.Found found, IOException failed, boolean damaged) throws MeetingException {
        if (app.rank() == 0 && !damaged) {
            LOG.log(
                    Logger.Level.WARNING,
                    "checkpoint {0} is recovered straight from {1}, without a copy on the nodes: {2}",
                    Integer.toString(found.file().ckptId()),
                    found.path().getParent(),
                    failed.getMessage());
        }
        try {
            levels.tidy(Level.L1);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException stays) {
            LOG.log(Logger.Level.DEBUG, "what there is of the copy stays", stays);
        }
    }
}
