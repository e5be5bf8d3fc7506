package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.NamesOfRanks;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.events.StepTimer;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.Remains.Result;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * Finds the checkpoints of a level, and makes one whole that the remaining files of all ranks yield, or can yield after lost
 * files are rebuilt (docs/formats/fti-run-directory.md, section 5). {@code restart.RestartCoordinator} chooses the level. A
 * commit interrupted by a kill is detected here, by which of the directories of a {@link CommitSlot} is whole, and
 * completed by {@link CommitProtocol}.
 */
public final class CheckpointSearch {

    private final Communicator app;
    private final RankContext context;
    private final CommitProtocol levels;
    private final CheckpointDirectories places;
    private final IoMode mode;
    private final RejectedFiles rejected;
    private final RunEvents events;
    private final CommitLog log;
    private boolean passedOver;

    /** The levels with a checkpoint that was committed and is not whole. */
    private final EnumSet<Level> damaged = EnumSet.noneOf(Level.class);

    /** Whether a checkpoint was found of which lost redundancy could not be restored. */
    private boolean lacksRedundancy;

    private Optional<StoredCheckpoint> taken = Optional.empty();

    /**
     * Creates a search for checkpoints.
     *
     * @param places where they lie, and where {@code mode} looks for them
     */
    public CheckpointSearch(
            RankContext context, CommitProtocol levels, CheckpointDirectories places, IoMode mode, CommitLog log) {
        this.context = context;
        app = context.app();
        this.levels = levels;
        this.places = places;
        this.mode = mode;
        rejected = context.rejected();
        events = context.events();
        this.log = log;
    }

    /**
     * A whole file of this rank, with its checkpoint and its content.
     *
     * @param level the level of the checkpoint; level 1 if it lacks partner copies or encoded files
     */
    public record Found(Level level, Path path, StoredFile file) {}

    /** Returns the checkpoints of a level in the order in which a restart tries them. Changes nothing. Collective. */
    public List<Candidate> list(Level level) throws IOException {
        List<StoredCheckpoint> stored = mode.stored(level);
        rejected.requireReadable();
        long[] positions = stored.isEmpty() ? new long[0] : log.positions(stored, rejected);
        List<Candidate> found = new ArrayList<>();
        for (int i = 0; i < positions.length; i++) {
            found.add(new Candidate(level, entry(stored.get(i), positions[i]), stored.get(i)));
        }
        return CommitOrder.newestFirst(found, Candidate::position);
    }

    private CheckpointEntry entry(StoredCheckpoint stored, long position) {
        Path metadata = places.metadataDirectory(stored.level(), stored.metadataSlot());
        String place = places.directory(stored.level(), CommitSlot.COMMITTED)
                .getFileName()
                .toString();
        Age age = new Age(position, CommitOrder.NEVER, false);
        return new CheckpointEntry(stored.ckptId(), stored.level(), place, stored.identity(), age, Map.of(), metadata);
    }

    /**
     * Makes a checkpoint readable: rebuilds its missing files, moves it to its place, and removes the remains of an
     * interrupted commit. Collective.
     *
     * @param wanted whether a checkpoint is wanted, by its id; the same on all ranks
     * @return this rank's file in the level's directory; empty on all ranks if the checkpoint cannot be recovered
     */
    public Optional<Found> makeReadable(Candidate candidate, IntPredicate wanted) throws IOException {
        StoredCheckpoint stored = candidate.stored();
        Result result = makeWhole(candidate, wanted);
        if (result == Result.NOTHING) {
            return Optional.empty();
        }
        taken = Optional.of(stored);
        passedOver |= candidate.position() >= 0 && log.isOlder(candidate.position(), stored);
        Path directory = committed(stored.level());
        Path plain = directory.resolve(stored.fileName(FileKind.PLAIN));
        Level counted = result == Result.EVERYTHING ? stored.level() : Level.L1;
        Found found = Agreement.call(app, "opening " + plain, () -> {
            Found opened = new Found(counted, plain, stored.open(plain));
            if (!keepsAll()) {
                deleteOthers(directory, stored);
            }
            return opened;
        });
        if (!keepsAll()) {
            levels.clean(stored.level());
        }
        return Optional.of(found);
    }

    /** Makes a checkpoint whole, as far as possible, and moves it to its place. Collective. */
    private Result makeWhole(Candidate candidate, IntPredicate wanted) throws IOException {
        StoredCheckpoint stored = candidate.stored();
        Level level = candidate.level();
        StepTimer timer = events.begin(Step.REBUILD);
        try (Remains remains = remains(candidate, keep(stored.level()))) {
            Result result = remains.makeWhole();
            if (result == Result.NOTHING) {
                passOver(level, remains.wasCommitted());
                return result;
            }
            if (!wanted.test(stored.ckptId())) {
                return Result.NOTHING;
            }
            lacksRedundancy |= result == Result.DATA;
            damaged.remove(level);
            recordRebuilt(timer, stored, remains.made());
            levels.completeInterruptedCommit(stored.level(), remains.slot(), stored.metadataSlot());
            return result;
        }
    }

    private Remains remains(Candidate candidate, RetainPolicy keep) throws IOException {
        return new Remains(context, places, candidate, keep);
    }

    /**
     * Returns what to keep of a plain file. Data are recovered only from it, or from its copy on the node, which is written
     * in the same pass.
     */
    private RetainPolicy keep(Level level) {
        return mode.isCopiedToNodes(level) ? RetainPolicy.COPIED : RetainPolicy.IN_VARIABLES;
    }

    /**
     * Finds the newest checkpoint of a level all of whose files are whole in their places. Changes nothing. Collective.
     *
     * @param wanted the checkpoints to consider, by their ids; the same on all ranks
     * @return this rank's file; empty on all ranks if there is none
     */
    public Optional<Found> findUnchanged(Level level, IntPredicate wanted) throws IOException {
        for (Candidate candidate : list(level)) {
            StoredCheckpoint stored = candidate.stored();
            if (!wanted.test(stored.ckptId())) {
                continue;
            }
            try (Remains remains = remains(candidate, keep(stored.level()))) {
                Left left = remains.verify();
                if (left.recoverable() && Agreement.all(app, left.source() == DataSource.OWN_FILE)) {
                    taken = Optional.of(stored);
                    Path plain = remains.path(FileKind.PLAIN);
                    return Agreement.call(
                            app, "opening " + plain, () -> Optional.of(new Found(level, plain, stored.open(plain))));
                }
            }
        }
        context.reader().forget();
        return Optional.empty();
    }

    /**
     * Completes a commit that a kill interrupted at a level from which the run does not restart, in the same way on all
     * nodes. Of two half-committed checkpoints, the loss of a node would leave too little. Collective.
     *
     * @return whether there was such a commit; if so, results for other levels have been forgotten
     */
    public boolean completeInterruptedCommit(Level level) throws IOException {
        long[] interrupted = {0};
        List<Path> looked = new ArrayList<>();
        if (isFirstOf(level)) {
            looked.add(levels.directory(level, CommitSlot.REPLACED));
        }
        if (app.rank() == 0) {
            looked.add(levels.metadataDirectory(level, CommitSlot.REPLACED));
        }
        for (Path replaced : looked) {
            rejected.succeeds("looking for", replaced, () -> interrupted[0] |= PathStatus.exists(replaced) ? 1 : 0);
        }
        rejected.requireReadable();
        app.allreduce(interrupted, Op.MAX);
        if (interrupted[0] == 0) {
            return false;
        }
        for (Candidate candidate : list(level)) {
            StoredCheckpoint stored = candidate.stored();
            Result result = makeWhole(candidate, any -> true);
            if (result == Result.EVERYTHING) {
                Path directory = committed(stored.level());
                Agreement.run(app, "settling level " + level.number(), () -> deleteOthers(directory, stored));
                levels.clean(stored.level());
            }
            if (result != Result.NOTHING) {
                return true;
            }
        }
        passOverWhatIsLeft(level);
        return true;
    }

    private void passOver(Level level, boolean committed) {
        if (committed) {
            passedOver = true;
            damaged.add(level);
        }
    }

    /** @param own this rank's files that were made, and their bytes. Collective. */
    private void recordRebuilt(StepTimer timer, StoredCheckpoint stored, long[] own) throws IOException {
        if (stored.level() != Level.L2 && stored.level() != Level.L3) {
            return;
        }
        long[] files = own.clone();
        app.allreduce(files, Op.SUM);
        if (files[0] > 0) {
            events.rebuilt(timer, stored.ckptId(), stored.level(), own[1], files[0], files[1]);
        }
    }

    /**
     * Records that there may be newer checkpoints at a level at which all were tried, if any node has files of any.
     * Collective.
     */
    public void passOverWhatIsLeft(Level level) throws IOException {
        long[] anywhere = {0};
        List<CommitSlot> looked = isFirstOf(level) ? List.of(CommitSlot.COMMITTED, CommitSlot.REPLACED) : List.of();
        for (CommitSlot slot : looked) {
            Path directory = levels.directory(level, slot);
            rejected.succeeds(
                    "listing",
                    directory,
                    () -> anywhere[0] |= PathStatus.entries(directory).isEmpty() ? 0 : 1);
        }
        rejected.requireReadable();
        app.allreduce(anywhere, Op.MAX);
        passOver(level, anywhere[0] == 1);
    }

    /**
     * Returns whether there is a newer checkpoint than the one found, or any checkpoint if none was found. Nothing of
     * it may be deleted yet.
     */
    public boolean passedOver() {
        return passedOver;
    }

    /** Returns the levels with a checkpoint that was committed and is not whole, in this order of nodes. */
    public Set<Level> damaged() {
        return damaged;
    }

    /** Records that there may be a newer checkpoint than the one found. */
    public void passOver() {
        passedOver = true;
    }

    /**
     * Returns whether nothing may be deleted yet, because a newer checkpoint than the one found may be whole later, or
     * because an older one may survive the loss of a node that the one found does not survive.
     */
    public boolean keepsAll() {
        return passedOver || lacksRedundancy;
    }

    /** Takes over what {@link #passedOver} and {@link #keepsAll} say after a search in another order of nodes. */
    public void follow(CheckpointSearch other) {
        passedOver |= other.passedOver;
        lacksRedundancy |= other.lacksRedundancy;
    }

    /** Returns the checkpoint that {@link #makeReadable} has found last. */
    public Optional<StoredCheckpoint> lastFound() {
        return taken;
    }

    /**
     * Returns what is left of the checkpoints of a level, newest first. Changes nothing. Collective.
     *
     * @param data whether to read the files of checkpoints that may be recoverable; otherwise a file counts as whole if
     *     its metadata are whole and it has the size that they say
     */
    public List<Left> survey(Level level, boolean data) throws IOException {
        List<Left> found = new ArrayList<>();
        for (Candidate candidate : list(level)) {
            found.add(survey(candidate, data));
        }
        return found;
    }

    /** Returns what is left of a checkpoint. Changes nothing. Collective. */
    public Left survey(Candidate candidate, boolean data) throws IOException {
        try (Remains remains = remains(candidate, RetainPolicy.NOTHING)) {
            return data ? remains.verify() : remains.compareSizes();
        }
    }

    private Path committed(Level level) {
        return levels.directory(level, CommitSlot.COMMITTED);
    }

    /**
     * Deletes files of other checkpoints next to rebuilt ones, because C FTI would take the first one it finds. One of
     * the ranks that share the directory does so for all.
     */
    private void deleteOthers(Path directory, StoredCheckpoint stored) throws IOException {
        if (isFirstOf(stored.level())) {
            List<String> stay =
                    Arrays.stream(FileKind.values()).map(stored::fileName).toList();
            NamesOfRanks.deleteOthers(directory, stay, context.topology(), context.storage());
        }
    }

    /** Returns whether this rank looks at the directories of a level for those that share them. */
    private boolean isFirstOf(Level level) {
        return context.sharing(level).rank() == 0;
    }
}
