package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.directory.CommitProtocol;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.file.StoredFile;
import io.drumlin.checkpoint.internal.mode.IoMode;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.storage.IoFailures;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Finds a whole checkpoint of one level: one that the files of all ranks that are left give, or can give after lost files are
 * made again (docs/formats/fti-run-directory.md, section 5). The level is chosen by {@code restart.RestartCoordinator}. A commit
 * that a kill has interrupted is found here, by which of the directories of a {@link CommitSlot} is whole, and completed by
 * {@link CommitProtocol}.
 */
public final class CheckpointSearch {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Communicator node;
    private final Topology topology;
    private final Group group;
    private final CommitProtocol levels;
    private final IoMode mode;
    private final FileRebuilder rebuilder;
    private final StorageEngine storage;
    private final CheckpointReader reader;
    private final RejectedFiles rejected;
    private final CommitLog log;
    private boolean passedOver;
    private Optional<StoredCheckpoint> taken = Optional.empty();

    /** What {@link #positions} has found at a level, until files are moved. */
    private Optional<Candidates> looked = Optional.empty();

    /** A checkpoint that is whole and in its place, and where it stands in the log. */
    private record Mended(StoredCheckpoint stored, long position) {}

    /** The checkpoints of a level, those first at which a restart looks first, and where they stand in the log. */
    private record Candidates(Level level, List<StoredCheckpoint> checkpoints, List<Long> positions) {}

    /** Looks for checkpoints of a level. */
    public CheckpointSearch(
            RankContext context, CommitProtocol levels, IoMode mode, FileRebuilder rebuilder, CommitLog log) {
        app = context.app();
        node = context.node();
        topology = context.topology();
        group = context.group();
        this.levels = levels;
        this.mode = mode;
        this.rebuilder = rebuilder;
        storage = context.storage();
        reader = context.reader();
        rejected = context.rejected();
        this.log = log;
    }

    /**
     * Which checkpoints are looked at, by where they stand in the log.
     *
     * @param first the lowest position
     * @param end the first position that is too high
     * @param unknown whether those of which nothing is known are looked at too
     */
    public record Span(long first, long end, boolean unknown) {

        /** Every checkpoint. */
        public static final Span ALL = before(Long.MAX_VALUE);

        /** One of which the position is known. */
        public static Span of(long position) {
            return new Span(position, position + 1, false);
        }

        /** What is older than a position, and what is not known. */
        public static Span before(long position) {
            return new Span(0, position, true);
        }

        boolean contains(long position) {
            return position < 0 ? unknown : position >= first && position < end;
        }
    }

    /** A file of this rank that is whole, of which checkpoint it is and what it holds. */
    public record Found(Level level, Path path, StoredFile file) {}

    /**
     * Where the checkpoints of a level stand in the log, in the order in which a restart looks at them. Changes nothing.
     * Collective.
     *
     * @return -1 for one of which nothing is known
     */
    public List<Long> positions(Level level) throws IOException {
        Candidates candidates = candidates(level);
        looked = Optional.of(candidates);
        return candidates.positions;
    }

    private Candidates candidates(Level level) throws IOException {
        List<StoredCheckpoint> stored = mode.stored(level);
        rejected.requireReadable();
        if (stored.isEmpty()) {
            return new Candidates(level, stored, List.of());
        }
        long[] positions = log.positions(stored, rejected);
        return new Candidates(
                level,
                CommitLog.inOrder(stored, positions),
                CommitLog.inOrder(Arrays.stream(positions).boxed().toList(), positions));
    }

    /**
     * Finds the newest checkpoint of a level, makes what is missing of it and clears away what an interrupted commit left.
     * Collective.
     *
     * @param span which checkpoints are looked at
     * @return this rank's file in the level's directory; empty on all ranks if there is none to be had
     */
    public Optional<Found> find(Level level, Span span) throws IOException {
        Optional<Mended> mended = mend(level, span);
        taken = mended.map(Mended::stored);
        if (mended.isEmpty()) {
            return Optional.empty();
        }
        StoredCheckpoint stored = mended.get().stored;
        passedOver |= mended.get().position >= 0 && log.isOlder(mended.get().position, stored);
        Path directory = committed(stored.level());
        Path plain = directory.resolve(stored.fileName(FileKind.PLAIN));
        Found found = Agreement.call(app, "opening " + plain, () -> {
            Found opened = new Found(stored.level(), plain, stored.open(plain));
            if (!passedOver) {
                deleteOthers(directory, stored);
            }
            return opened;
        });
        if (!passedOver) {
            levels.clean(stored.level());
        }
        return Optional.of(found);
    }

    /**
     * Ends the commit that a kill interrupted at a level that is not restarted from, on all nodes alike: of two halves the loss
     * of a node would leave too little. Collective.
     *
     * @return whether there was such a commit; what was known of another level has been forgotten then
     */
    public boolean settle(Level level) throws IOException {
        long[] interrupted = {0};
        for (Path replaced : List.of(
                levels.directory(level, CommitSlot.REPLACED), levels.metadataDirectory(level, CommitSlot.REPLACED))) {
            rejected.succeeds("looking for", replaced, () -> interrupted[0] |= PathStatus.exists(replaced) ? 1 : 0);
        }
        rejected.requireReadable();
        app.allreduce(interrupted, Op.MAX);
        Optional<Mended> mended = interrupted[0] == 0 ? Optional.empty() : mend(level, Span.ALL);
        if (mended.isPresent()) {
            StoredCheckpoint stored = mended.get().stored;
            Path directory = committed(stored.level());
            Agreement.run(app, "settling level " + level.number(), () -> deleteOthers(directory, stored));
            levels.clean(stored.level());
        }
        return interrupted[0] > 0;
    }

    /** Makes the newest checkpoint of a level whole and brings it into its place. Collective. */
    private Optional<Mended> mend(Level level, Span span) throws IOException {
        Optional<Candidates> known = looked.filter(candidates -> candidates.level == level);
        Candidates candidates = known.isPresent() ? known.get() : candidates(level);
        looked = Optional.empty();
        for (int i = 0; i < candidates.positions.size(); i++) {
            StoredCheckpoint stored = candidates.checkpoints.get(i);
            long position = candidates.positions.get(i);
            if (!span.contains(position)) {
                continue;
            }
            try {
                Left left = look(stored, true, true);
                if (left.recoverable && restored(left)) {
                    levels.settle(left.level, left.slot, stored.metadataSlot());
                    return Optional.of(new Mended(stored, position));
                }
                passedOver |= wasCommitted(left);
            } finally {
                rebuilder.forgetMadeAhead();
            }
        }
        passedOver |= span.unknown && isAnythingLeft(level);
        return Optional.empty();
    }

    /**
     * Whether a checkpoint that is not whole, or cannot be had, had been put into its place on any node. Unlike what a kill has left of
     * one that was being written, it may be whole again when a lost disk is back. Collective.
     */
    private boolean wasCommitted(Left left) throws IOException {
        boolean here = left.slot != CommitSlot.TMP && !left.whole.isEmpty();
        long[] anywhere = {here ? 1 : 0};
        app.allreduce(anywhere, Op.MAX);
        return anywhere[0] == 1;
    }

    /** Whether any node has files of a level, of whatever checkpoint. Collective. */
    private boolean isAnythingLeft(Level level) throws IOException {
        long[] anywhere = {0};
        for (CommitSlot slot : List.of(CommitSlot.COMMITTED, CommitSlot.REPLACED)) {
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

    /** Whether there is a newer checkpoint than what was found, or at all: nothing of it may be deleted yet. */
    public boolean passedOver() {
        return passedOver;
    }

    /** Takes note that there is one in another order of nodes. */
    public void passOver() {
        passedOver = true;
    }

    /** What {@link #find} has found last. */
    public Optional<StoredCheckpoint> taken() {
        return taken;
    }

    /**
     * What is left of a checkpoint.
     *
     * @param slot where the files of this rank's directory lie
     * @param whole kinds of the files that this rank has there and that are whole
     * @param source from what this rank gets its data
     * @param recoverable whether every rank gets its data; the same on all
     */
    public record Left(
            Level level,
            StoredCheckpoint stored,
            CommitSlot slot,
            EnumSet<FileKind> whole,
            DataSource source,
            boolean recoverable) {}

    /**
     * What is left of the checkpoints of a level, newest first. Changes nothing. Collective.
     *
     * @param data whether to read the files of those that may be recoverable; otherwise a file that has whole metadata or is
     *     named by such counts as whole
     */
    public List<Left> survey(Level level, boolean data) throws IOException {
        List<Left> found = new ArrayList<>();
        for (StoredCheckpoint stored : candidates(level).checkpoints) {
            found.add(look(stored, data, false));
        }
        return found;
    }

    /** What is left of a checkpoint, all of whose files are read. Changes nothing. Collective. */
    public Left survey(StoredCheckpoint stored) throws IOException {
        return look(stored, true, false);
    }

    /** The number in the log of each of the checkpoints, or -1. Collective. */
    public long[] positions(List<Left> checkpoints) throws IOException {
        return log.positions(checkpoints.stream().map(Left::stored).toList(), rejected);
    }

    /** @param mend whether what is lost may be made on the way */
    private Left look(StoredCheckpoint stored, boolean data, boolean mend) throws IOException {
        Level level = stored.level();
        CommitSlot slot = slot(level, stored);
        EnumSet<FileKind> files = present(level, stored, slot);
        rejected.requireReadable();
        DataSource source = source(level, files);
        boolean recoverable = onAllRanks(source != DataSource.NONE);
        if (recoverable && data) {
            verify(stored, slot, files, mend);
            stored.agree();
            rejected.requireReadable();
            boolean fits = stored.isOfTheseGroups(files);
            source = fits ? source(level, files) : DataSource.NONE;
            recoverable = onAllRanks(source != DataSource.NONE);
        }
        return new Left(level, stored, slot, files, source, recoverable);
    }

    /**
     * Reads the files that are there and leaves those that are whole. Collective.
     *
     * @param mend whether what is lost may be made on the way
     */
    private void verify(StoredCheckpoint stored, CommitSlot slot, EnumSet<FileKind> files, boolean mend)
            throws IOException {
        Level level = stored.level();
        boolean nothingLost = onAllRanks(files.containsAll(FileKind.of(level)));
        boolean[] verified = {false};
        Agreement.Step verify = () -> {
            files.removeIf(kind -> !isWhole(stored, kind, slot, mend ? keep(level, kind) : RetainPolicy.NOTHING));
            verified[0] = true;
        };
        reader.forget();
        if (mend && !nothingLost && level == Level.L2) {
            rebuilder.sendAhead(stored, levels.directory(level, slot), files, reader);
        } else if (mend && !nothingLost && level == Level.L3) {
            rebuilder.rebuildAhead(stored, levels.directory(level, slot), files, reader, verify);
        }
        if (!group.onAll(verified[0])) {
            verify.run();
        }
    }

    /** Only a plain file is recovered from; or the copy of it on the node, where there will be one: it is written on the way. */
    private RetainPolicy keep(Level level, FileKind kind) {
        if (kind != FileKind.PLAIN) {
            return RetainPolicy.NOTHING;
        }
        return mode.isCopiedToNodes(level) ? RetainPolicy.COPIED : RetainPolicy.IN_VARIABLES;
    }

    private Path committed(Level level) {
        return levels.directory(level, CommitSlot.COMMITTED);
    }

    /** Where the files of a checkpoint lie that share a directory: in one place, which a restart moves as a whole. */
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
        (level.isGlobal() ? app : node).allreduce(files, Op.SUM);
        // A checkpoint that a restart was copying may also be in its place: there it is whole.
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

    /** From what this rank gets its data, by the files of its group. Collective. */
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

    private boolean restored(Left left) throws IOException {
        // Where the files lie now: should it fail, the places of the other checkpoints are still as they were found.
        Path directory = levels.directory(left.level, left.slot);
        EnumSet<FileKind> whole = left.whole.clone();
        try {
            rebuilder.restore(left.level, left.stored, directory, left.whole);
            return true;
        } catch (IOException e) {
            if (IoFailures.mayPass(e)) {
                // A full disk, too, is no proof that another checkpoint is needed.
                rejected.refuse("restoring", directory, e);
            }
            rejected.requireReadable();
            reader.forget();
            if (left.level == Level.L3 && restoredWithoutOne(left, directory, whole)) {
                return true;
            }
            if (!IoFailures.mayPass(e)) {
                rejected.refuse("restoring", directory, e);
            }
            reader.forget();
            return false;
        }
    }

    /**
     * What was made is not what was lost: a file from which it was made has another byte where no digest covers it. Which one is seen by
     * leaving out one after the other, in all groups that lack a file. Collective.
     *
     * @param whole kinds of this rank's files as they were found
     */
    private boolean restoredWithoutOne(Left left, Path directory, EnumSet<FileKind> whole) throws IOException {
        boolean lacks = !group.onAll(whole.containsAll(FileKind.of(Level.L3)));
        boolean enough = filesOfGroup(whole) > group.size();
        BitSet plain = group.ranksWith(whole.contains(FileKind.PLAIN));
        for (int member = 0; member < group.size(); member++) {
            EnumSet<FileKind> used = whole.clone();
            OptionalInt leftOut = lacks && enough && plain.get(member) ? OptionalInt.of(member) : OptionalInt.empty();
            if (onAllRanks(leftOut.isEmpty())) {
                continue;
            }
            try {
                rebuilder.restoreWithout(leftOut, left.stored, directory, used);
                left.whole.addAll(used);
                return true;
            } catch (MeetingException unknown) {
                throw unknown;
            } catch (IOException e) {
                LOG.log(Logger.Level.DEBUG, "not without the file of member {0} either", member, e);
                reader.forget();
            }
        }
        return false;
    }

    /** Files of another checkpoint may lie where lost ones were made again; C FTI would take the first it meets. */
    private void deleteOthers(Path directory, StoredCheckpoint stored) throws IOException {
        for (FileKind kind : FileKind.values()) {
            String own = stored.fileName(kind);
            OptionalInt owner = FileNames.owner(own);
            List<Path> files =
                    owner.isPresent() ? RunDirectory.rankFiles(directory, kind, owner.getAsInt(), topology) : List.of();
            for (Path file : files) {
                if (!file.endsWith(own)) {
                    storage.delete(file);
                }
            }
        }
    }

    /** The ranks of a job that share a node, in a communicator of their own. Collective. */
    public static Communicator nodeOf(Communicator app, Topology topology) throws IOException {
        return app.split(topology.node(), topology.position());
    }
}
