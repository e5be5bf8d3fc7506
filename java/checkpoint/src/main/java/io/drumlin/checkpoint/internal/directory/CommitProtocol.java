package io.drumlin.checkpoint.internal.directory;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.topology.FilesOfRanks;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.MeetingException;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.comm.internal.SlowestRank;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts a written checkpoint into place, so that a kill or a power loss at any moment leaves the old or the new one
 * whole.
 *
 * <p>All ranks have synced their files in {@code tmp} before {@link #commit} is called. The old directory is renamed
 * aside, the new one is renamed in, and the parent is synced. Only when every node has done so is the old one deleted.
 * At every moment one complete checkpoint is spread over {@code tmp}, the level's directory and the directory aside.
 * At a restart {@code CheckpointSearch} finds it, and {@link #completeInterruptedCommit} finishes what a kill has
 * interrupted. One rank per directory does the work: the first rank of the node for L1 to L3, and the first rank of the
 * run for L4 and for the directories of metadata, which are handled in the same way in the modes that have them.
 */
public final class CommitProtocol implements CheckpointDirectories {

    private final Communicator app;
    private final Topology topology;
    private final RunDirectory directories;
    private final StorageEngine storage;
    private final KeptCheckpoints kept;
    private final boolean metadata;
    private final int groups;
    private final Archive archive;
    private final BackgroundDeletion deletion;

    /**
     * Directories with a commit that this rank has begun, that not all ranks have completed, and that this rank has not
     * undone.
     */
    private final Set<Path> unsettled = new HashSet<>();

    /** Levels whose directories may hold remains that must be removed before the next checkpoint. */
    private final EnumSet<Level> untidy = EnumSet.allOf(Level.class);

    /** Whether nodes may have kept checkpoints from a start with another configuration. */
    private boolean mayHaveKept = true;

    /** The reason why it is unknown what the ranks have agreed on; {@code null} if that is known. */
    private @Nullable MeetingException unknown;

    /**
     * Creates the commit protocol of a run.
     *
     * @param archive which replaced checkpoints go to the archive of level 4 and stay there
     * @param groups number of groups of ranks whose metadata the mode keeps apart from the data; 0 if it keeps none apart
     */
    public CommitProtocol(
            Communicator app,
            Topology topology,
            RunDirectory directories,
            StorageEngine storage,
            Archive archive,
            int groups) {
        this.app = app;
        this.topology = topology;
        this.directories = directories;
        this.storage = storage;
        this.archive = archive;
        kept = archive.kept();
        this.groups = groups;
        metadata = groups > 0;
        deletion = new BackgroundDeletion(storage);
    }

    /**
     * Records that a message between the ranks has failed. From now on the directories do not change, because the other
     * ranks may have agreed either that a checkpoint is in its place or that it is not.
     */
    public void stayAsTheyAre(MeetingException failure) {
        if (unknown == null) {
            unknown = failure;
        }
    }

    /** Throws if it is unknown what the ranks have agreed on, so that nothing is changed then. Not collective. */
    public void requireKnown() throws MeetingException {
        if (unknown != null) {
            throw new MeetingException(DrumlinException.during("keeping checkpoints")
                    .rank(app.rank())
                    .problem("a message between the ranks has failed, and it is not known which of the last two"
                            + " checkpoints the ranks agreed on; both stay on disk as they are (" + unknown.getMessage()
                            + ")")
                    .cause(unknown)
                    .advice("end the job and start it again: a restart finds the newest whole checkpoint"));
        }
    }

    /** Returns whether this rank works on the directories of a level. */
    public boolean isMaster(Level level) {
        return level.isGlobal() ? topology.isGlobalMaster() : topology.isNodeMaster();
    }

    /** Work on the directories below one root. */
    @FunctionalInterface
    private interface Work {
        void on(Path root) throws IOException;
    }

    /** Works on the roots whose directories of a level belong to this rank's work. Collective. */
    private void onEachRoot(String operation, Level level, Work work) throws IOException {
        onEachRoot(operation, level, work, slowest -> {});
    }

    private void onEachRoot(String operation, Level level, Work work, Consumer<SlowestRank> slowest)
            throws IOException {
        requireKnown();
        awaitDeletion();
        Agreement.Step onRoots = () -> {
            for (Path root : roots(level)) {
                work.on(root);
            }
        };
        try {
            Agreement.run(app, operation + " level " + level.number(), onRoots, slowest);
        } catch (MeetingException failure) {
            stayAsTheyAre(failure);
            throw failure;
        }
    }

    private List<Path> roots(Level level) {
        List<Path> roots = new ArrayList<>(2);
        // If metadata are kept apart, the data of differential checkpoints are not moved.
        if (isMaster(level) && !(metadata && level == Level.L4_DCP)) {
            roots.add(directories.root(level));
        }
        // The configuration may name the same directory for both.
        if (isMasterOfMetadata() && !roots.contains(directories.meta())) {
            roots.add(directories.meta());
        }
        return roots;
    }

    /**
     * Returns the level whose directories a checkpoint uses. Differential checkpoints whose metadata are kept apart use
     * those of level 4.
     */
    private Level ofDirectories(Level level) {
        return metadata && level == Level.L4_DCP ? Level.L4 : level;
    }

    /** Returns whether a checkpoint of a level takes the place of one of level 4. */
    private boolean supersedesL4(Level level) {
        return ofDirectories(level) == Level.L4;
    }

    private boolean isMasterOfMetadata() {
        return metadata && topology.isGlobalMaster();
    }

    /** Waits until this rank has finished deleting replaced checkpoints. */
    public void awaitDeletion() {
        deletion.await();
    }

    /** Removes the remains of earlier checkpoints that were aborted or replaced. Collective. */
    public void prepare(Level level) throws IOException {
        awaitDeletion();
        if (untidy.contains(ofDirectories(level))) {
            tidy(level);
        }
    }

    /**
     * Records at a restart that the checkpoint of a level is damaged, so that it is not kept when another one replaces
     * it. Not collective.
     */
    public void markPassedOver(Level level) {
        markable(level).forEach(directory -> PassedOver.mark(directory, storage));
    }

    /** Records that the checkpoint of a level is whole, although an earlier restart may have passed it over. Not collective. */
    public void unmarkPassedOver(Level level) {
        markable(level).forEach(directory -> PassedOver.unmark(directory, storage));
    }

    private List<Path> markable(Level level) {
        boolean keeps = kept.onNodes(level) > 1 || (level == Level.L4 && kept.archives());
        return keeps
                ? roots(level).stream()
                        .flatMap(root ->
                                Stream.of(RunDirectory.committed(root, level), RunDirectory.replaced(root, level)))
                        .toList()
                : List.of();
    }

    /** Undoes a failed commit and deletes the remains of an aborted checkpoint. Collective; can be repeated. */
    public void tidy(Level ofCheckpoint) throws IOException {
        Level level = ofDirectories(ofCheckpoint);
        untidy.add(level);
        onEachRoot("tidying up", level, root -> tidy(root, level));
        untidy.remove(level);
    }

    private void tidy(Path root, Level level) throws IOException {
        Path committed = RunDirectory.committed(root, level);
        boolean replaced = PathStatus.exists(RunDirectory.replaced(root, level));
        if ((replaced && !PathStatus.exists(committed)) || unsettled.contains(committed)) {
            swapOut(root, level);
        }
        DirectoryTree.delete(RunDirectory.tmp(root), storage);
        if (replaced) {
            discardReplaced(root, level);
        }
    }

    /**
     * Turns the spare files of differential checkpoints, which were brought up to date, into the files of the
     * checkpoint to be committed. Does nothing if there are none. Collective.
     */
    public void takeSpare() throws IOException {
        onEachRoot("taking the spare files of", Level.L4_DCP, root -> {
            if (PathStatus.exists(RunDirectory.spare(root))) {
                FilesOfRanks.deleteOthers(RunDirectory.spare(root), topology, storage);
                DirectoryTree.delete(RunDirectory.tmp(root), storage);
                storage.rename(RunDirectory.spare(root), RunDirectory.tmp(root));
                // Sync before the list says that there is a newer checkpoint.
                storage.syncDirectory(root);
            }
        });
    }

    /** Deletes a run's spare files of differential checkpoints; for the rank that {@link #isMaster} of level 4. */
    public void deleteSpare() throws IOException {
        DirectoryTree.delete(RunDirectory.spare(directories.global()), storage);
    }

    /** Deletes the remains of an incremental checkpoint during which a run was killed. Collective. */
    public void deleteIncremental() throws IOException {
        Agreement.run(app, "tidying up", () -> {
            if (isMaster(Level.L1)) {
                RunDirectory.deleteIncremental(directories.local(), storage);
            }
            if (isMaster(Level.L4)) {
                RunDirectory.deleteIncremental(directories.global(), storage);
            }
        });
    }

    /**
     * Replaces the committed checkpoint of a level by the one in {@code tmp}, on all nodes or on none. The old
     * checkpoint stays aside until {@link #discardSuperseded}. Collective.
     *
     * @param slowest receives the rank that took longest
     * @throws MeetingException it is unknown which checkpoint is in its place; both stay where they are
     * @throws IOException on all ranks, if the commit failed on any; the old checkpoint is in its place
     */
    public void commit(Level level, Consumer<SlowestRank> slowest) throws IOException {
        Level named = ofDirectories(level);
        try {
            onEachRoot("committing", level, root -> swapInAll(root, level), slowest);
        } catch (MeetingException failure) {
            // If this rank undid a commit that the others have agreed on, neither checkpoint would be whole.
            Agreement.tellUnknown(app, "committing level " + level.number(), failure);
            requireKnown();
        } catch (IOException failure) {
            try {
                tidy(level);
            } catch (MeetingException alsoFailed) {
                alsoFailed.addSuppressed(failure);
                requireKnown();
            } catch (IOException alsoFailed) {
                failure.addSuppressed(alsoFailed);
            }
            throw failure;
        }
        roots(level).forEach(root -> unsettled.remove(RunDirectory.committed(root, named)));
        untidy.add(named);
    }

    /** Swaps in the files of all ranks, and not those of some. */
    private void swapInAll(Path root, Level level) throws IOException {
        if (level.isGlobal() || root.equals(directories.meta())) {
            FilesOfRanks.requireAll(RunDirectory.tmp(root), groups, topology);
        }
        if (metadata && level == Level.L4_DCP) {
            FilesOfRanks.requireAll(RunDirectory.committed(directories.global(), level), groups, topology);
        }
        swapIn(root, ofDirectories(level));
    }

    private void swapIn(Path root, Level level) throws IOException {
        Path committed = RunDirectory.committed(root, level);
        boolean replaces = PathStatus.exists(committed);
        if (replaces) {
            discardReplaced(root, level);
        }
        unsettled.add(committed);
        if (replaces) {
            storage.rename(committed, RunDirectory.replaced(root, level));
        }
        storage.rename(RunDirectory.tmp(root), committed);
        storage.syncDirectory(root);
    }

    /** Undoes {@link #swapIn}, wherever it stopped. It only renames, because a deletion could stop in the middle. */
    private void swapOut(Path root, Level level) throws IOException {
        Path committed = RunDirectory.committed(root, level);
        Path replaced = RunDirectory.replaced(root, level);
        unsettled.add(committed);
        if (PathStatus.exists(committed) && !PathStatus.exists(RunDirectory.tmp(root))) {
            storage.rename(committed, RunDirectory.tmp(root));
        }
        if (PathStatus.exists(replaced)) {
            storage.rename(replaced, committed);
        }
        unsettled.remove(committed);
        storage.syncDirectory(root);
    }

    /**
     * Deletes the checkpoints that a committed checkpoint supersedes: those of lower levels, and in the background the
     * replaced one, which lies aside. Collective.
     */
    public void discardSuperseded(Level level) throws IOException {
        requireKnown();
        String operation = "deleting what the checkpoint committed at level " + level.number() + " supersedes";
        List<Path> replaced = new ArrayList<>();
        if (level == Level.L4_DCP && !metadata) {
            Agreement.run(app, "keeping the differential checkpoint before as a spare", () -> {
                for (Path root : roots(level)) {
                    if (PathStatus.exists(RunDirectory.replaced(root, level))) {
                        DirectoryTree.delete(RunDirectory.spare(root), storage);
                        storage.rename(RunDirectory.replaced(root, level), RunDirectory.spare(root));
                    }
                }
            });
            untidy.remove(level);
            return;
        }
        if (kept.archives() && supersedesL4(level)) {
            deletion.await();
            Agreement.run(app, operation, () -> {
                for (Path root : roots(level)) {
                    discardReplaced(root, Level.L4);
                }
                for (Path ordinary : ordinaryBefore(level)) {
                    archive.add(directories.global(), ordinary);
                    DirectoryTree.delete(ordinary, storage);
                }
                if (isMaster(Level.L4)) {
                    replaced.addAll(archive.superfluous());
                }
            });
        } else if (kept.onNodes(level) > 1) {
            Agreement.run(app, operation, () -> {
                for (Path root : roots(level)) {
                    discardReplaced(root, level);
                }
            });
        } else {
            replaced.addAll(ordinaryBefore(level));
            roots(level).forEach(root -> replaced.add(RunDirectory.replaced(root, ofDirectories(level))));
        }
        if (supersedesL4(level)) {
            Agreement.run(app, operation, () -> {
                if (topology.isNodeMaster()) {
                    DirectoryTree.delete(directories.replica(false), storage);
                }
            });
        }
        // The highest level first, on all nodes. A lower level is newer, and if a kill leaves half of it a restart must
        // not find the older one whole.
        for (int number = level.number() - 1; number >= Level.L1.number(); number--) {
            Level lower = Level.of(number);
            Agreement.run(app, operation, () -> {
                if (topology.isNodeMaster()) {
                    supersede(directories.local(), lower, replaced);
                }
                if (isMasterOfMetadata()) {
                    supersede(directories.meta(), lower, replaced);
                }
            });
        }
        if (mayHaveKept || kept.keepsOnNodes()) {
            replaced.addAll(KeptOnNodes.drop(app, roots(Level.L1), kept, archive.order(), directories, storage));
            mayHaveKept = false;
        }
        // Last, so that a rank that does not know the result of the commit has told the others before.
        deletion.start(replaced);
        untidy.remove(ofDirectories(level));
    }

    /**
     * Keeps a committed checkpoint of a lower level aside if several stay, and otherwise gives it a name under which no
     * restart finds it. To delete it takes long, and nobody waits for that.
     *
     * @param deleted what is to be deleted, to which it is added
     */
    private void supersede(Path root, Level level, List<Path> deleted) throws IOException {
        if (kept.onNodes(level) > 1) {
            for (Path each : List.of(RunDirectory.replaced(root, level), RunDirectory.committed(root, level))) {
                KeptOnNodes.keep(root, level, each, storage);
            }
        }
        for (Path each : committed(root, level)) {
            storage.syncDirectory(root);
            deleted.add(KeptOnNodes.dropped(each, storage));
        }
    }

    /**
     * Returns the directories of a level's committed checkpoint that there are. The replaced one is the first: its
     * deletion in the background may have failed, and a restart would use it.
     */
    private static List<Path> committed(Path root, Level level) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path directory : List.of(RunDirectory.replaced(root, level), RunDirectory.committed(root, level))) {
            if (PathStatus.exists(directory)) {
                found.add(directory);
            }
        }
        return found;
    }

    /**
     * Returns the files of the ordinary checkpoint of level 4 that a differential one has superseded, for the rank that
     * deletes them.
     */
    private List<Path> ordinaryBefore(Level level) {
        Path ordinary = RunDirectory.committed(directories.global(), Level.L4);
        boolean apart =
                level == Level.L4_DCP && metadata && !directories.global().equals(directories.meta());
        return apart && isMaster(Level.L4) ? List.of(ordinary) : List.of();
    }

    /**
     * Deletes the files on the nodes from a run of another number of ranks, including unfinished checkpoints, because
     * they could be taken for files of this run. Collective.
     */
    public void deleteOfPreviousRun() throws IOException {
        awaitDeletion();
        Agreement.run(app, "deleting the node-local checkpoints of the former run", () -> {
            if (topology.isNodeMaster()) {
                deleteOfPreviousRun(directories.local());
            }
            if (isMasterOfMetadata()) {
                deleteOfPreviousRun(directories.meta());
            }
        });
    }

    private void deleteOfPreviousRun(Path root) throws IOException {
        for (Level level : List.of(Level.L3, Level.L2, Level.L1)) {
            deleteCommitted(root, level);
            DirectoryTree.delete(RunDirectory.replaced(root, level), storage);
        }
        KeptOnNodes.deleteAll(root, storage);
        DirectoryTree.delete(RunDirectory.tmp(root), storage);
        storage.syncDirectory(root);
    }

    /**
     * Moves the local files of a checkpoint that was copied to the parallel file system to where C FTI keeps them;
     * restarts do not use them. Collective.
     */
    public void keepReplica(Path replica) throws IOException {
        Agreement.run(app, "keeping the local files of level 4", () -> {
            if (topology.isNodeMaster()) {
                storage.rename(directories.tmp(Level.L1), replica);
                storage.syncDirectory(directories.local());
            }
        });
    }

    /** Deletes the metadata of the node-local levels; for the rank that {@link #isMaster} of level 4. */
    public void deleteLocalMetadata() throws IOException {
        if (metadata) {
            for (Level level : List.of(Level.L3, Level.L2, Level.L1)) {
                deleteCommitted(directories.meta(), level);
            }
            KeptOnNodes.deleteAll(directories.meta(), storage);
        }
    }

    /** Moves the replaced checkpoint to the archive or aside if its level is kept, and deletes it otherwise. */
    private void discardReplaced(Path root, Level level) throws IOException {
        Path replaced = RunDirectory.replaced(root, level);
        if (kept.archives() && level == Level.L4) {
            archive.add(root, replaced);
        }
        if (kept.onNodes(level) == 1 || !KeptOnNodes.keep(root, level, replaced, storage)) {
            DirectoryTree.delete(replaced, storage);
        }
    }

    /**
     * Moves the committed level-4 checkpoint to the archive; for the rank that {@link #isMaster}. A differential
     * checkpoint stays where it is, with its metadata, as in C FTI.
     *
     * @return whether anything of level 4 is kept
     */
    public boolean archiveL4() throws IOException {
        awaitDeletion();
        for (Path root : roots(Level.L4)) {
            Path committed = RunDirectory.committed(root, Level.L4);
            if (!metadata || !root.equals(directories.meta()) || !archive.isOfDifferential(committed)) {
                archive.add(root, committed);
                DirectoryTree.delete(committed, storage);
            }
        }
        return PathStatus.exists(directories.archive())
                || PathStatus.exists(directory(Level.L4_DCP, CommitSlot.COMMITTED));
    }

    /**
     * Deletes the committed checkpoint of a level below a root. Syncs before and after, because a restart prefers lower
     * levels: neither this checkpoint nor one deleted earlier may come back after a power loss.
     */
    private void deleteCommitted(Path root, Level level) throws IOException {
        for (Path directory : committed(root, level)) {
            storage.syncDirectory(root);
            DirectoryTree.delete(directory, storage);
            storage.syncDirectory(root);
        }
    }

    /**
     * Completes an interrupted commit: moves a checkpoint that a kill left elsewhere into its place. It only renames;
     * nothing is deleted before {@link #clean}. Collective.
     *
     * @param chosen where the files lie ({@code tmp}, the level's directory or the one aside), the same on all ranks of
     *     a directory
     * @param ofMetadata where the metadata lie; used only if the mode keeps them apart
     */
    public void completeInterruptedCommit(Level level, CommitSlot chosen, CommitSlot ofMetadata) throws IOException {
        onEachRoot("settling", level, root -> {
            completeInterruptedCommit(
                    root, ofDirectories(level), root.equals(directories.meta()) ? ofMetadata : chosen);
        });
    }

    /** Deletes the remains of an interrupted commit, apart from the checkpoint in its place. Collective. */
    public void clean(Level level) throws IOException {
        onEachRoot("cleaning", level, root -> {
            DirectoryTree.delete(RunDirectory.tmp(root), storage);
            discardReplaced(root, ofDirectories(level));
        });
    }

    private void completeInterruptedCommit(Path root, Level level, CommitSlot chosen) throws IOException {
        switch (chosen) {
            case TMP -> swapIn(root, level);
            case COMMITTED -> {}
            case REPLACED -> {
                DirectoryTree.delete(RunDirectory.tmp(root), storage);
                swapOut(root, level);
            }
        }
        unsettled.remove(RunDirectory.committed(root, level));
    }

    @Override
    public Path directory(Level level, CommitSlot slot) {
        return directory(directories.root(level), level, slot);
    }

    @Override
    public Path metadataDirectory(Level level, CommitSlot slot) {
        return directory(directories.meta(), ofDirectories(level), slot);
    }

    private static Path directory(Path root, Level level, CommitSlot slot) {
        return switch (slot) {
            case TMP -> RunDirectory.tmp(root);
            case COMMITTED -> RunDirectory.committed(root, level);
            case REPLACED -> RunDirectory.replaced(root, level);
        };
    }
}
