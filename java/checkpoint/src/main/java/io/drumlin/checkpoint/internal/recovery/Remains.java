package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is left of a checkpoint: what there is, what of it is whole, and what was made again
 * (docs/formats/fti-run-directory.md, section 5). The data of every rank are needed. Partner copies and encoded files that
 * cannot be made again are done without. The state of one look or one repair.
 */
final class Remains implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final RankContext context;
    private final Communicator app;
    private final Group group;
    private final CheckpointReader reader;
    private final RejectedFiles rejected;
    private final Candidate candidate;
    private final StoredCheckpoint stored;
    private final Level level;
    private final CommitSlot slot;

    /** The present place of the files, so that after a failure the places of other checkpoints are still valid. */
    private final Path directory;

    /** What is kept of a plain file that is read. */
    private final RetainPolicy keep;

    /** Kinds of this rank's whole files, or before they are read of all. */
    private final EnumSet<FileKind> whole = EnumSet.noneOf(FileKind.class);

    private final LostFiles lost;

    /** Kinds of this rank's files that were whole when all that was left had been read. */
    private EnumSet<FileKind> found = whole;

    private DataSource source = DataSource.NONE;
    private boolean recoverable;

    /** Whether this rank has read its files. */
    private boolean read;

    /** Whether all ranks have read what is left and compared the digests. */
    private boolean verified;

    /** What a repair has achieved. */
    enum Result {
        /** Some rank's data cannot be restored. */
        NOTHING,
        /** Every rank has its plain file. Partner copies or encoded files are missing. */
        DATA,
        /** No file is missing. */
        EVERYTHING
    }

    /** Looks which files there are; reads none. Collective. */
    Remains(RankContext context, CheckpointDirectories places, Candidate candidate, RetainPolicy keep)
            throws IOException {
        this.context = context;
        app = context.app();
        group = context.group();
        reader = context.reader();
        rejected = context.rejected();
        this.candidate = candidate;
        stored = candidate.stored();
        this.keep = keep;
        level = stored.level();
        slot = findSlot();
        directory = places.directory(level, slot);
        for (FileKind kind : FileKind.of(level)) {
            if (place(kind).isPresent()) {
                whole.add(kind);
            }
        }
        lost = new LostFiles(context, stored, directory, whole);
    }

    /**
     * Returns the common place of the files of a checkpoint that share a directory. A restart moves this place as a
     * whole.
     */
    private CommitSlot findSlot() throws IOException {
        List<CommitSlot> slots = List.of(CommitSlot.values());
        long[] files = new long[slots.size()];
        stored.places().values().stream().flatMap(List::stream).forEach(place -> files[slots.indexOf(place.slot())]++);
        context.sharing(level).allreduce(files, Op.SUM);
        // A checkpoint that a restart was copying may also be in its place, where it is whole.
        int most = slots.indexOf(CommitSlot.COMMITTED);
        for (int i = 0; i < files.length; i++) {
            most = files[i] > files[most] ? i : most;
        }
        return slots.get(most);
    }

    private Optional<FileLocation> place(FileKind kind) {
        return stored.places().getOrDefault(kind, List.of()).stream()
                .filter(place -> place.slot() == slot)
                .findFirst();
    }

    /** Returns the path of this rank's file of a kind, of which there is one. */
    Path path(FileKind kind) {
        return place(kind).orElseThrow().path();
    }

    /** Returns the common place of the files. */
    CommitSlot slot() {
        return slot;
    }

    /**
     * Looks whether every rank may get its data, without reading files: one counts as whole if its metadata are whole and
     * it has the size that they say. Collective.
     */
    Left compareSizes() throws IOException {
        whole.removeIf(kind -> !rejected.succeeds("looking at", path(kind), () -> stored.checkSize(kind, path(kind))));
        rejected.requireReadable();
        judge(true);
        return left();
    }

    /** Reads what is left, and looks whether every rank gets its data. Collective. */
    Left verify() throws IOException {
        if (isRecoverable()) {
            compare();
        }
        return left();
    }

    private Left left() {
        return new Left(candidate, slot, whole, source, recoverable);
    }

    private boolean isRecoverable() throws IOException {
        rejected.requireReadable();
        judge(true);
        reader.forget();
        return recoverable;
    }

    /** @param fits whether the files belong to this rank's group */
    private void judge(boolean fits) throws IOException {
        source = fits ? findSource() : DataSource.NONE;
        recoverable = !Agreement.any(app, source == DataSource.NONE);
    }

    /** Returns where this rank gets its data from, by the files of its group. Collective. */
    private DataSource findSource() throws IOException {
        boolean redundant =
                switch (level) {
                    case L1, L4_DCP, L4 -> false;
                    case L2 -> group.gather(whole.contains(FileKind.PARTNER) ? 1 : 0)[group.right()] == 1;
                    case L3 -> filesOfGroup(whole) >= group.size();
                };
        if (whole.contains(FileKind.PLAIN)) {
            return DataSource.OWN_FILE;
        }
        if (!redundant) {
            return DataSource.NONE;
        }
        return level == Level.L2 ? DataSource.PARTNER_COPY : DataSource.REED_SOLOMON;
    }

    /**
     * Makes the checkpoint whole, or as whole as the disks allow. Collective.
     *
     * @return the same on all ranks
     * @throws IOException on all ranks: data could not be restored, which may pass
     */
    Result makeWhole() throws IOException {
        if (!isRecoverable()) {
            return Result.NOTHING;
        }
        try {
            return restore(lost, FileKind.of(level)) ? Result.EVERYTHING : Result.NOTHING;
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            if (!verified) {
                throw e;
            }
            return makeWholeAfter(e);
        }
    }

    /**
     * Makes lost files, in passes: what is left is read once, hashed, and sent or computed with; then it is compared, and what
     * was made of whole files is compared and put in place; until nothing is lost. Collective.
     *
     * @param wanted kinds of this rank's files that are to be whole afterwards
     * @return whether every rank gets its data
     * @throws IOException on all ranks, if it failed on any
     */
    private boolean restore(LostFiles files, EnumSet<FileKind> wanted) throws IOException {
        while (true) {
            if (!files.areNone(wanted)) {
                pass(files, wanted);
            } else if (verified) {
                return true;
            }
            if (!verified) {
                compare();
                if (!recoverable) {
                    return false;
                }
            }
            if (!files.areNone(wanted)) {
                files.putInPlace();
                if (level == Level.L3) {
                    stored.updateMetadata();
                }
            }
        }
    }

    private void pass(LostFiles files, EnumSet<FileKind> wanted) throws IOException {
        try {
            files.make(wanted, !verified, verified ? () -> {} : this::readAll);
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            boolean any = files.hasAny();
            files.close();
            if (verified) {
                throw e;
            }
            LOG.log(
                    Logger.Level.WARNING,
                    "the files that are left are verified before lost ones are made: {0}",
                    e.getMessage());
            // Groups in which nothing is made have verified their files meanwhile.
            if (any) {
                reader.forget();
            }
        }
    }

    private void readAll() {
        whole.removeIf(kind -> !rejected.succeeds(
                "verifying",
                path(kind),
                () -> stored.check(kind, path(kind), kind == FileKind.PLAIN ? keep : RetainPolicy.NOTHING)));
        read = true;
    }

    /** Compares what is left with its digests, and looks whether every rank still gets its data. Collective. */
    private void compare() throws IOException {
        if (!group.onAll(read)) {
            readAll();
        }
        stored.agreeOnWhole();
        rejected.requireReadable();
        judge(stored.isOfTheseGroups(whole));
        found = whole.clone();
        verified = true;
    }

    /** Looks for another way after a failure. Files that were made before it stay. */
    private Result makeWholeAfter(IOException failure) throws IOException {
        reader.forget();
        boolean passing = Agreement.any(app, IoFailures.mayPass(failure));
        if (!passing && restoredWithoutOne()) {
            return Result.EVERYTHING;
        }
        if (restoredWithoutRedundancy(failure)) {
            warn(failure);
            return Result.DATA;
        }
        if (IoFailures.mayPass(failure)) {
            // A full disk does not prove either that another checkpoint is needed.
            rejected.refuse("restoring", directory, failure);
        }
        rejected.requireReadable();
        if (passing && restoredWithoutOne()) {
            return Result.EVERYTHING;
        }
        if (!IoFailures.mayPass(failure)) {
            rejected.refuse("restoring", directory, failure);
        }
        reader.forget();
        return Result.NOTHING;
    }

    /**
     * Makes lost files again after a failure, first without the redundancy on the ranks that failed, and if that fails,
     * too, without any. Collective.
     *
     * @param first the failure on this rank
     * @return whether every rank has its plain file
     */
    private boolean restoredWithoutRedundancy(IOException first) throws IOException {
        EnumSet<FileKind> wanted = FileKind.of(level);
        IOException failure = first;
        boolean failedHere = false;
        for (boolean everywhere : new boolean[] {false, true}) {
            boolean fails = IoFailures.mayPass(failure);
            failedHere |= fails;
            EnumSet<FileKind> redundancy = wanted.clone();
            redundancy.remove(FileKind.PLAIN);
            boolean lacksMore = !whole.containsAll(redundancy);
            if (Agreement.any(app, fails && !whole.contains(FileKind.PLAIN) && !lacksMore)) {
                return false;
            }
            boolean givesUp = lacksMore && (everywhere || fails);
            if (givesUp) {
                wanted.retainAll(EnumSet.of(FileKind.PLAIN));
            }
            if (!Agreement.any(app, givesUp) && !everywhere) {
                continue;
            }
            try {
                restore(lost, wanted);
                return isStillWhole(failedHere);
            } catch (MeetingException unknown) {
                throw unknown;
            } catch (IOException e) {
                reader.forget();
                failure = e;
            }
        }
        return false;
    }

    /** Returns whether the plain files of ranks that failed are still whole, because a read may have failed. Collective. */
    private boolean isStillWhole(boolean failedHere) throws IOException {
        Path plain = directory.resolve(stored.fileName(FileKind.PLAIN));
        boolean isWhole = !failedHere
                || rejected.succeeds(
                        "verifying", plain, () -> stored.check(FileKind.PLAIN, plain, RetainPolicy.IN_VARIABLES));
        rejected.requireReadable();
        return !Agreement.any(app, !isWhole);
    }

    private void warn(IOException failure) {
        for (FileKind kind : FileKind.of(level)) {
            if (!whole.contains(kind)) {
                LOG.log(
                        Logger.Level.WARNING,
                        "rank {0}: {1} is missing or damaged, and was not made again: {2}",
                        Integer.toString(app.rank()),
                        directory.resolve(stored.fileName(kind)),
                        failure.getMessage());
            }
        }
        if (app.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "checkpoint {0} of level {1} is recovered without its lost {2}, which could not be made again ({3});"
                            + " until the next checkpoint it counts as one of level 1: the loss of a node may lose it;"
                            + " mend the cause, for example make room on the nodes, and take a checkpoint; nothing was"
                            + " deleted for it",
                    Integer.toString(stored.ckptId()),
                    level.number(),
                    level == Level.L2 ? "partner copies" : "encoded files",
                    failure.getMessage());
        }
    }

    /**
     * Makes files of level 3 again after the made files turned out to be wrong, because a source file has a wrong
     * byte that no digest covers. The wrong file is found by leaving out one file after the other, in all groups that
     * lack a file; it is made after the others. Collective.
     */
    private boolean restoredWithoutOne() throws IOException {
        if (level != Level.L3) {
            return false;
        }
        EnumSet<FileKind> wanted = FileKind.of(level);
        boolean lacks = !group.onAll(found.containsAll(wanted));
        boolean enough = filesOfGroup(found) > group.size();
        BitSet plain = group.ranksWith(found.contains(FileKind.PLAIN));
        for (int member = 0; member < group.size(); member++) {
            EnumSet<FileKind> used = found.clone();
            OptionalInt leftOut = lacks && enough && plain.get(member) ? OptionalInt.of(member) : OptionalInt.empty();
            if (!Agreement.any(app, leftOut.isPresent())) {
                continue;
            }
            try (LostFiles without = new LostFiles(context, stored, directory, used, leftOut);
                    LostFiles last = new LostFiles(context, stored, directory, used)) {
                restore(without, wanted);
                if (leftOut.equals(OptionalInt.of(group.index()))) {
                    used.remove(FileKind.PLAIN);
                }
                restore(last, wanted);
                whole.addAll(used);
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

    private long filesOfGroup(EnumSet<FileKind> present) throws IOException {
        long[] files = {present.size()};
        group.comm().allreduce(files, Op.SUM);
        return files[0];
    }

    /**
     * Returns how many files of this rank were made, and their bytes. Not collective.
     */
    long[] made() {
        long[] made = {0, 0};
        for (FileKind kind : whole) {
            if (!found.contains(kind)) {
                made[0]++;
                made[1] += directory.resolve(stored.fileName(kind)).toFile().length();
            }
        }
        return made;
    }

    /**
     * Returns whether a checkpoint that is not whole or not recoverable was committed on any node. Unlike the remains
     * of an interrupted write, it may be whole again when a lost disk is back. Collective.
     */
    boolean wasCommitted() throws IOException {
        return Agreement.any(app, slot != CommitSlot.TMP && !whole.isEmpty());
    }

    @Override
    public void close() {
        lost.close();
    }
}
