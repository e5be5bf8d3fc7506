package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.mode.RankContext;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.checkpoint.internal.topology.Group;
import io.drumlin.checkpoint.internal.verify.CheckpointReader;
import io.drumlin.checkpoint.internal.verify.RetainPolicy;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.MeetingException;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.OptionalInt;

/**
 * Makes a checkpoint whole whose files were verified, or as whole as the disks allow
 * (docs/formats/fti-run-directory.md, section 5). The data of every rank are needed. Partner copies and encoded files
 * that cannot be made again are done without.
 */
final class LostFileRepair {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Communicator app;
    private final Group group;
    private final FileRebuilder rebuilder;
    private final CheckpointReader reader;
    private final RejectedFiles rejected;

    LostFileRepair(RankContext context, FileRebuilder rebuilder) {
        app = context.app();
        group = context.group();
        reader = context.reader();
        rejected = context.rejected();
        this.rebuilder = rebuilder;
    }

    /**
     * A checkpoint of which every rank can get its data.
     *
     * @param directory directory of this rank's files
     * @param whole kinds of this rank's whole files; rebuilt ones are added
     */
    record Remains(Level level, StoredCheckpoint stored, Path directory, EnumSet<FileKind> whole) {}

    /** What a repair has achieved. */
    enum Result {
        /** Some rank's data cannot be restored. */
        NOTHING,
        /** Every rank has its plain file. Partner copies or encoded files are missing. */
        DATA,
        /** No file is missing. */
        EVERYTHING
    }

    /**
     * Rebuilds lost files. Collective.
     *
     * @return the same on all ranks
     * @throws IOException on all ranks: data could not be restored, which may pass
     */
    Result restore(Remains left) throws IOException {
        EnumSet<FileKind> found = left.whole().clone();
        IOException failure;
        try {
            rebuilder.restore(left.level(), left.stored(), left.directory(), left.whole(), FileKind.of(left.level()));
            return Result.EVERYTHING;
        } catch (MeetingException unknown) {
            throw unknown;
        } catch (IOException e) {
            failure = e;
        }
        reader.forget();
        boolean passing = onAnyRank(IoFailures.mayPass(failure));
        if (!passing && restoredWithoutOne(left, found)) {
            return Result.EVERYTHING;
        }
        if (restoredWithoutRedundancy(left, failure)) {
            warn(left, failure);
            return Result.DATA;
        }
        return refused(left, found, failure, passing) ? Result.NOTHING : Result.EVERYTHING;
    }

    private boolean refused(Remains left, EnumSet<FileKind> found, IOException failure, boolean passing)
            throws IOException {
        if (IoFailures.mayPass(failure)) {
            // A full disk does not prove either that another checkpoint is needed.
            rejected.refuse("restoring", left.directory(), failure);
        }
        rejected.requireReadable();
        if (passing && restoredWithoutOne(left, found)) {
            return false;
        }
        if (!IoFailures.mayPass(failure)) {
            rejected.refuse("restoring", left.directory(), failure);
        }
        reader.forget();
        return true;
    }

    /**
     * Rebuilds files again after a failure, first without the redundancy on the ranks that failed, and if that fails,
     * too, without any. Files that were rebuilt before the failure stay. Collective.
     *
     * @param first the failure on this rank
     * @return whether every rank has its plain file
     */
    private boolean restoredWithoutRedundancy(Remains left, IOException first) throws IOException {
        EnumSet<FileKind> wanted = FileKind.of(left.level());
        IOException failure = first;
        boolean failedHere = false;
        for (boolean everywhere : new boolean[] {false, true}) {
            boolean fails = IoFailures.mayPass(failure);
            failedHere |= fails;
            boolean lacksData = !left.whole().contains(FileKind.PLAIN);
            boolean lacksMore = !withPlain(left.whole()).containsAll(wanted);
            if (onAnyRank(fails && lacksData && !lacksMore)) {
                return false;
            }
            boolean givesUp = lacksMore && (everywhere || fails);
            if (givesUp) {
                wanted.retainAll(EnumSet.of(FileKind.PLAIN));
            }
            if (!onAnyRank(givesUp) && !everywhere) {
                continue;
            }
            try {
                rebuilder.restore(left.level(), left.stored(), left.directory(), left.whole(), wanted);
                return isStillWhole(left, failedHere);
            } catch (MeetingException unknown) {
                throw unknown;
            } catch (IOException e) {
                reader.forget();
                failure = e;
            }
        }
        return false;
    }

    private static EnumSet<FileKind> withPlain(EnumSet<FileKind> kinds) {
        EnumSet<FileKind> with = kinds.clone();
        with.add(FileKind.PLAIN);
        return with;
    }

    /** Returns whether the plain files of ranks that failed are still whole, because a read may have failed. Collective. */
    private boolean isStillWhole(Remains left, boolean failedHere) throws IOException {
        Path plain = left.directory().resolve(left.stored().fileName(FileKind.PLAIN));
        boolean whole = !failedHere
                || rejected.succeeds("verifying", plain, () -> left.stored()
                        .check(FileKind.PLAIN, plain, RetainPolicy.IN_VARIABLES));
        rejected.requireReadable();
        return !onAnyRank(!whole);
    }

    private void warn(Remains left, IOException failure) {
        for (FileKind kind : FileKind.of(left.level())) {
            if (!left.whole().contains(kind)) {
                LOG.log(
                        Logger.Level.WARNING,
                        "rank {0}: {1} is missing or damaged, and was not made again: {2}",
                        Integer.toString(app.rank()),
                        left.directory().resolve(left.stored().fileName(kind)),
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
                    Integer.toString(left.stored().ckptId()),
                    left.level().number(),
                    left.level() == Level.L2 ? "partner copies" : "encoded files",
                    failure.getMessage());
        }
    }

    /**
     * Rebuilds files of level 3 again after the rebuilt files turned out to be wrong, because a source file has a wrong
     * byte that no digest covers. The wrong file is found by leaving out one file after the other, in all groups that
     * lack a file. Collective.
     *
     * @param found kinds of this rank's whole files as they were found
     */
    private boolean restoredWithoutOne(Remains left, EnumSet<FileKind> found) throws IOException {
        if (left.level() != Level.L3) {
            return false;
        }
        boolean lacks = !group.onAll(found.containsAll(FileKind.of(Level.L3)));
        boolean enough = filesOfGroup(found) > group.size();
        BitSet plain = group.ranksWith(found.contains(FileKind.PLAIN));
        for (int member = 0; member < group.size(); member++) {
            EnumSet<FileKind> used = found.clone();
            OptionalInt leftOut = lacks && enough && plain.get(member) ? OptionalInt.of(member) : OptionalInt.empty();
            if (!onAnyRank(leftOut.isPresent())) {
                continue;
            }
            try {
                rebuilder.restoreWithout(leftOut, left.stored(), left.directory(), used);
                left.whole().addAll(used);
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

    private boolean onAnyRank(boolean here) throws IOException {
        long[] anywhere = {here ? 1 : 0};
        app.allreduce(anywhere, Op.MAX);
        return anywhere[0] == 1;
    }
}
