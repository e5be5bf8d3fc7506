package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.directory.NamesOfRanks;
import io.drumlin.checkpoint.internal.events.RunEvents;
import io.drumlin.checkpoint.internal.events.Step;
import io.drumlin.checkpoint.internal.events.StepTimer;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.recovery.LostFileRepair.Remains;
import io.drumlin.checkpoint.internal.recovery.LostFileRepair.Result;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Finds a whole checkpoint of one level: one that the remaining files of all ranks yield, or can yield after lost files
 * are rebuilt (docs/formats/fti-run-directory.md, section 5). {@code restart.RestartCoordinator} chooses the level. A
 * commit interrupted by a kill is detected here, by which of the directories of a {@link CommitSlot} is whole, and
 * completed by {@link CommitProtocol}.
 */
public final class CheckpointSearch {

    private final Communicator app;
    private final RankContext context;
    private final Topology topology;
    private final Group group;
    private final CommitProtocol levels;
    private final IoMode mode;
    private final FileRebuilder rebuilder;
    private final LostFileRepair repair;
    private final StorageEngine storage;
    private final CheckpointReader reader;
    private final RejectedFiles rejected;
    private final RunEvents events;
    private final CommitLog log;
    private boolean passedOver;

    /** The levels with a checkpoint that was committed and is not whole. */
    private final EnumSet<Level> damaged = EnumSet.noneOf(Level.class);

    /** Whether a checkpoint was found of which lost redundancy could not be restored. */
    private boolean lacksRedundancy;

    private Optional<StoredCheckpoint> taken = Optional.empty();

    /** The result of {@link #positions} for a level, valid until files are moved. */
    private Optional<Candidates> searched = Optional.empty();

    /**
     * A checkpoint in its place from which every rank gets its data.
     *
     * @param position its position in the log
     * @param redundant whether it has all its partner copies or encoded files
     */
    private record MendedCheckpoint(StoredCheckpoint stored, long position, boolean redundant) {}

    /** The checkpoints of a level in the order in which a restart tries them, and their positions in the log. */
    private record Candidates(Level level, List<StoredCheckpoint> checkpoints, List<Long> positions) {}

    /** Creates a search for checkpoints. */
    public CheckpointSearch(
            RankContext context, CommitProtocol levels, IoMode mode, FileRebuilder rebuilder, CommitLog log) {
        this.context = context;
        app = context.app();
        topology = context.topology();
        group = context.group();
        this.levels = levels;
        this.mode = mode;
        this.rebuilder = rebuilder;
        repair = new LostFileRepair(context, rebuilder);
        storage = context.storage();
        reader = context.reader();
        rejected = context.rejected();
        events = context.events();
        this.log = log;
    }

    /**
     * The checkpoints to consider, as a range of positions in the log.
     *
     * @param first the lowest position
     * @param end the first position that is too high
     * @param unknown whether checkpoints that are not in the log are considered too
     */
    public record Span(long first, long end, boolean unknown) {

        /** Considers every checkpoint. */
        public static final Span ALL = before(Long.MAX_VALUE);

        /** Returns the span of the checkpoint at a position. */
        public static Span of(long position) {
            return new Span(position, position + 1, false);
        }

        /** Returns the span of checkpoints that are older than a position or not in the log. */
        public static Span before(long position) {
            return new Span(0, position, true);
        }

        boolean contains(long position) {
            return position < 0 ? unknown : position >= first && position < end;
        }
    }

    /**
     * A whole file of this rank, with its checkpoint and its content.
     *
     * @param level the level of the checkpoint; level 1 if it lacks partner copies or encoded files
     */
    public record Found(Level level, Path path, StoredFile file) {}

    /**
     * Returns the positions in the log of a level's checkpoints, in the order in which a restart tries them. Changes
     * nothing. Collective.
     *
     * @return the positions; -1 for a checkpoint that is not in the log
     */
    public List<Long> positions(Level level) throws IOException {
        Candidates candidates = candidates(level);
        searched = Optional.of(candidates);
        return candidates.positions;
    }

    /** Forgets what {@link #positions} has found, because files were moved since. */
    public void forgetPositions() {
        searched = Optional.empty();
    }

    private Candidates candidates(Level level) throws IOException {
        List<StoredCheckpoint> stored = mode.stored(level);
        rejected.requireReadable();
        if (stored.isEmpty()) {
            return new Candidates(level, stored, List.of());
        }
        long[] positions = log.positions(stored, rejected);
        List<Integer> order = CommitOrder.newestFirst(
                IntStream.range(0, positions.length).boxed().toList(), i -> positions[i]);
        return new Candidates(
                level,
                order.stream().map(stored::get).toList(),
                order.stream().map(i -> positions[i]).toList());
    }

    /**
     * Finds the newest checkpoint of a level, rebuilds its missing files, and removes the remains of an interrupted
     * commit. Collective.
     *
     * @param span the checkpoints to consider
     * @return this rank's file in the level's directory; empty on all ranks if no checkpoint can be recovered
     */
    public Optional<Found> find(Level level, Span span) throws IOException {
        Optional<MendedCheckpoint> mended = makeWhole(level, span);
        taken = mended.map(MendedCheckpoint::stored);
        if (mended.isEmpty()) {
            return Optional.empty();
        }
        StoredCheckpoint stored = mended.get().stored;
        passedOver |= mended.get().position >= 0 && log.isOlder(mended.get().position, stored);
        Path directory = committed(stored.level());
        Path plain = directory.resolve(stored.fileName(FileKind.PLAIN));
        Level counted = mended.get().redundant ? stored.level() : Level.L1;
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

    /**
     * Finds the newest checkpoint of a level all of whose files are whole in their places. Changes nothing. Collective.
     *
     * @param wanted the checkpoints to consider, by their ids; the same on all ranks
     * @return this rank's file; empty on all ranks if there is none
     */
    public Optional<Found> findUnchanged(Level level, IntPredicate wanted) throws IOException {
        for (StoredCheckpoint stored : candidates(level).checkpoints) {
            if (!wanted.test(stored.ckptId())) {
                continue;
            }
            Left left = inspect(stored, true, true);
            if (left.recoverable && onAllRanks(left.source == DataSource.OWN_FILE)) {
                taken = Optional.of(stored);
                Path plain =
                        place(stored, FileKind.PLAIN, left.slot).orElseThrow().path();
                return Agreement.call(
                        app, "opening " + plain, () -> Optional.of(new Found(level, plain, stored.open(plain))));
            }
        }
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
        Optional<MendedCheckpoint> mended = interrupted[0] == 0 ? Optional.empty() : makeWhole(level, Span.ALL);
        if (mended.isPresent() && mended.get().redundant) {
            StoredCheckpoint stored = mended.get().stored;
            Path directory = committed(stored.level());
            Agreement.run(app, "settling level " + level.number(), () -> deleteOthers(directory, stored));
            levels.clean(stored.level());
        }
        return interrupted[0] > 0;
    }

    /** Makes the newest checkpoint of a level whole, as far as possible, and moves it to its place. Collective. */
    private Optional<MendedCheckpoint> makeWhole(Level level, Span span) throws IOException {
        Optional<Candidates> known = searched.filter(candidates -> candidates.level == level);
        Candidates candidates = known.isPresent() ? known.get() : candidates(level);
        searched = Optional.empty();
        for (int i = 0; i < candidates.positions.size(); i++) {
            StoredCheckpoint stored = candidates.checkpoints.get(i);
            long position = candidates.positions.get(i);
            if (!span.contains(position)) {
                continue;
            }
            StepTimer timer = events.begin(Step.REBUILD);
            try {
                Left left = inspect(stored, true, true);
                EnumSet<FileKind> before = left.whole.clone();
                Result result = left.recoverable ? restored(left) : Result.NOTHING;
                if (result != Result.NOTHING) {
                    lacksRedundancy |= result == Result.DATA;
                    damaged.remove(level);
                    recordRebuilt(timer, left, before);
                    levels.completeInterruptedCommit(left.level, left.slot, stored.metadataSlot());
                    return Optional.of(new MendedCheckpoint(stored, position, result == Result.EVERYTHING));
                }
                passOver(level, wasCommitted(left));
            } finally {
                rebuilder.deleteMade();
            }
        }
        passOver(level, span.unknown && isAnythingLeft(level));
        return Optional.empty();
    }

    private void passOver(Level level, boolean committed) {
        if (committed) {
            passedOver = true;
            damaged.add(level);
        }
    }

    private Result restored(Left left) throws IOException {
        // Rebuilds in the present place of the files, so that after a failure the places of the other checkpoints are
        // still valid.
        Path directory = levels.directory(left.level, left.slot);
        return repair.restore(new Remains(left.level, left.stored, directory, left.whole));
    }

    /** @param before kinds of this rank's files that were whole before. Collective. */
    private void recordRebuilt(StepTimer timer, Left left, EnumSet<FileKind> before) throws IOException {
        if (left.level != Level.L2 && left.level != Level.L3) {
            return;
        }
        Path directory = levels.directory(left.level, left.slot);
        long[] files = {0, 0};
        for (FileKind kind : left.whole) {
            if (!before.contains(kind)) {
                files[0]++;
                files[1] +=
                        directory.resolve(left.stored.fileName(kind)).toFile().length();
            }
        }
        long own = files[1];
        app.allreduce(files, Op.SUM);
        if (files[0] > 0) {
            events.rebuilt(timer, left.stored.ckptId(), left.level, own, files[0], files[1]);
        }
    }

    /**
     * Returns whether a checkpoint that is not whole or not recoverable was committed on any node. Unlike the remains
     * of an interrupted write, it may be whole again when a lost disk is back. Collective.
     */
    private boolean wasCommitted(Left left) throws IOException {
        boolean here = left.slot != CommitSlot.TMP && !left.whole.isEmpty();
        long[] anywhere = {here ? 1 : 0};
        app.allreduce(anywhere, Op.MAX);
        return anywhere[0] == 1;
    }

    /** Returns whether any node has files of any checkpoint of a level. Collective. */
    private boolean isAnythingLeft(Level level) throws IOException {
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
        return anywhere[0] == 1;
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

    /** Returns the checkpoint that {@link #find} has found last. */
    public Optional<StoredCheckpoint> lastFound() {
        return taken;
    }

    /**
     * The remaining files of a checkpoint.
     *
     * @param slot place of the files in this rank's directory
     * @param whole kinds of this rank's whole files there
     * @param source where this rank gets its data from
     * @param recoverable whether every rank gets its data; the same on all ranks
     */
    public record Left(
            Level level,
            StoredCheckpoint stored,
            CommitSlot slot,
            EnumSet<FileKind> whole,
            DataSource source,
            boolean recoverable) {}

    /**
     * Returns what is left of the checkpoints of a level, newest first. Changes nothing. Collective.
     *
     * @param data whether to read the files of checkpoints that may be recoverable; otherwise a file counts as whole if
     *     its metadata are whole and it has the size that they say
     */
    public List<Left> survey(Level level, boolean data) throws IOException {
        List<Left> found = new ArrayList<>();
        for (StoredCheckpoint stored : candidates(level).checkpoints) {
            found.add(inspect(stored, data, false));
        }
        return found;
    }

    /** Returns what is left of a checkpoint, whose files are all read. Changes nothing. Collective. */
    public Left survey(StoredCheckpoint stored) throws IOException {
        return inspect(stored, true, false);
    }

    /** Returns the position in the log of each of the checkpoints, or -1. Collective. */
    public long[] positions(List<Left> checkpoints) throws IOException {
        return log.positions(checkpoints.stream().map(Left::stored).toList(), rejected);
    }

    /** @param mend whether lost files may be rebuilt in the same pass */
    private Left inspect(StoredCheckpoint stored, boolean data, boolean mend) throws IOException {
        Level level = stored.level();
        CommitSlot slot = slot(level, stored);
        EnumSet<FileKind> files = present(level, stored, slot);
        if (!data) {
            files.removeIf(kind -> !hasItsSize(stored, kind, slot));
        }
        rejected.requireReadable();
        DataSource source = source(level, files);
        boolean recoverable = onAllRanks(source != DataSource.NONE);
        if (recoverable && data) {
            verify(stored, slot, files, mend);
            stored.agreeOnWhole();
            rejected.requireReadable();
            boolean fits = stored.isOfTheseGroups(files);
            source = fits ? source(level, files) : DataSource.NONE;
            recoverable = onAllRanks(source != DataSource.NONE);
        }
        return new Left(level, stored, slot, files, source, recoverable);
    }

    /**
     * Reads the existing files and keeps the kinds of those that are whole. Collective.
     *
     * @param mend whether lost files may be rebuilt in the same pass
     */
    private void verify(StoredCheckpoint stored, CommitSlot slot, EnumSet<FileKind> files, boolean mend)
            throws IOException {
        Level level = stored.level();
        boolean[] verified = {false};
        Agreement.Step verify = () -> {
            files.removeIf(kind -> !isWhole(stored, kind, slot, mend ? keep(level, kind) : RetainPolicy.NOTHING));
            verified[0] = true;
        };
        reader.forget();
        if (mend) {
            rebuilder.rebuildUnverified(level, stored, levels.directory(level, slot), files, verify);
        }
        if (!group.onAll(verified[0])) {
            verify.run();
        }
    }

    /**
     * Returns what to keep of a file. Data are recovered only from a plain file, or from its copy on the node, which is
     * written in the same pass.
     */
    private RetainPolicy keep(Level level, FileKind kind) {
        if (kind != FileKind.PLAIN) {
            return RetainPolicy.NOTHING;
        }
        return mode.isCopiedToNodes(level) ? RetainPolicy.COPIED : RetainPolicy.IN_VARIABLES;
    }

    private Path committed(Level level) {
        return levels.directory(level, CommitSlot.COMMITTED);
    }

    /**
     * Returns the common place of the files of a checkpoint that share a directory. A restart moves this place as a
     * whole.
     */
    private CommitSlot slot(Level level, StoredCheckpoint stored) throws IOException {
        CommitSlot[] slots = CommitSlot.values();
        long[] files = new long[slots.length];
        for (int i = 0; i < slots.length; i++) {
            CommitSlot slot = slots[i];
            files[i] = stored.places().values().stream()
                    .flatMap(List::stream)
                    .filter(place -> place.slot() == slot)
                    .count();
        }
        context.sharing(level).allreduce(files, Op.SUM);
        // A checkpoint that a restart was copying may also be in its place, where it is whole.
        CommitSlot most = CommitSlot.COMMITTED;
        long mostFiles = 0;
        for (int i = 0; i < slots.length; i++) {
            if (files[i] > mostFiles || (files[i] == mostFiles && slots[i] == CommitSlot.COMMITTED)) {
                most = slots[i];
                mostFiles = files[i];
            }
        }
        return most;
    }

    private static EnumSet<FileKind> present(Level level, StoredCheckpoint stored, CommitSlot slot) {
        EnumSet<FileKind> present = EnumSet.noneOf(FileKind.class);
        for (FileKind kind : FileKind.of(level)) {
            if (place(stored, kind, slot).isPresent()) {
                present.add(kind);
            }
        }
        return present;
    }

    private static Optional<FileLocation> place(StoredCheckpoint stored, FileKind kind, CommitSlot slot) {
        return stored.places().getOrDefault(kind, List.of()).stream()
                .filter(place -> place.slot() == slot)
                .findFirst();
    }

    private boolean isWhole(StoredCheckpoint stored, FileKind kind, CommitSlot slot, RetainPolicy keep) {
        Path path = place(stored, kind, slot).orElseThrow().path();
        return rejected.succeeds("verifying", path, () -> stored.check(kind, path, keep));
    }

    private boolean hasItsSize(StoredCheckpoint stored, FileKind kind, CommitSlot slot) {
        Path path = place(stored, kind, slot).orElseThrow().path();
        return rejected.succeeds("looking at", path, () -> stored.checkSize(kind, path));
    }

    /** Returns where this rank gets its data from, by the files of its group. Collective. */
    private DataSource source(Level level, EnumSet<FileKind> files) throws IOException {
        boolean redundant =
                switch (level) {
                    case L1, L4_DCP, L4 -> false;
                    case L2 -> group.gather(files.contains(FileKind.PARTNER) ? 1 : 0)[group.right()] == 1;
                    case L3 -> filesOfGroup(files) >= group.size();
                };
        if (files.contains(FileKind.PLAIN)) {
            return DataSource.OWN_FILE;
        }
        if (!redundant) {
            return DataSource.NONE;
        }
        return level == Level.L2 ? DataSource.PARTNER_COPY : DataSource.REED_SOLOMON;
    }

    private boolean onAllRanks(boolean here) throws IOException {
        long[] everywhere = {here ? 1 : 0};
        app.allreduce(everywhere, Op.MIN);
        return everywhere[0] == 1;
    }

    private long filesOfGroup(EnumSet<FileKind> present) throws IOException {
        long[] files = {present.size()};
        group.comm().allreduce(files, Op.SUM);
        return files[0];
    }

    /**
     * Deletes files of other checkpoints next to rebuilt ones, because C FTI would take the first one it finds. One of
     * the ranks that share the directory does so for all.
     */
    private void deleteOthers(Path directory, StoredCheckpoint stored) throws IOException {
        if (isFirstOf(stored.level())) {
            List<String> stay =
                    Arrays.stream(FileKind.values()).map(stored::fileName).toList();
            NamesOfRanks.deleteOthers(directory, stay, topology, storage);
        }
    }

    /** Returns whether this rank looks at the directories of a level for those that share them. */
    private boolean isFirstOf(Level level) {
        return context.sharing(level).rank() == 0;
    }
}
