package io.drumlin.checkpoint;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * Puts a written checkpoint into place so that a kill or a power loss at any moment leaves the old or the new one whole.
 *
 * <p>All ranks have synced their files in {@code tmp} before {@link #commit} is called. The old directory is renamed aside,
 * the new one renamed in, the parent synced; only when every node has done so is the old one deleted. So at every moment one
 * checkpoint is complete over {@code tmp}, the level's directory and the one aside, and {@link Recovery} finds it by its
 * id and timestamp. One rank per directory works on it: the node's first for L1 to L3, the run's first for L4.
 */
final class LevelDirectories {

    private final Communicator app;
    private final Topology topology;
    private final RunDirectory directories;
    private final StorageEngine storage;
    private final boolean keepL4;

    /** Levels in whose directories this rank has begun a commit that neither all ranks have done nor this one undone. */
    private final EnumSet<Level> unsettled = EnumSet.noneOf(Level.class);

    LevelDirectories(
            Communicator app, Topology topology, RunDirectory directories, StorageEngine storage, boolean keepL4) {
        this.app = app;
        this.topology = topology;
        this.directories = directories;
        this.storage = storage;
        this.keepL4 = keepL4;
    }

    /** Whether this rank is the one that works on the directories of a level. */
    boolean isMaster(Level level) {
        return level == Level.L4 ? topology.isGlobalMaster() : topology.isNodeMaster();
    }

    /** Takes back a commit that failed and deletes what an aborted checkpoint left. Collective; can be repeated. */
    void tidy(Level level) throws IOException {
        Agreement.run(app, "tidying up level " + level.number(), () -> {
            if (isMaster(level)) {
                tidyOnNode(level);
            }
        });
    }

    private void tidyOnNode(Level level) throws IOException {
        boolean putAside = Files.exists(directories.replaced(level)) && !Files.exists(directories.committed(level));
        if (putAside || unsettled.contains(level)) {
            swapOut(level);
        }
        RunDirectory.delete(directories.tmp(level), storage);
        discardReplaced(level);
    }

    /**
     * Replaces the committed checkpoint of a level by the one in {@code tmp}, on all nodes or on none. The old one stays aside
     * until {@link #discardSuperseded}. Collective.
     */
    void commit(Level level) throws IOException {
        try {
            Agreement.run(app, "committing level " + level.number(), () -> {
                if (isMaster(level)) {
                    swapIn(level);
                }
            });
        } catch (IOException failure) {
            try {
                tidy(level);
            } catch (IOException alsoFailed) {
                failure.addSuppressed(alsoFailed);
            }
            throw failure;
        }
        unsettled.remove(level);
    }

    private void swapIn(Level level) throws IOException {
        boolean replaces = Files.exists(directories.committed(level));
        if (replaces) {
            discardReplaced(level);
        }
        unsettled.add(level);
        if (replaces) {
            storage.rename(directories.committed(level), directories.replaced(level));
        }
        storage.rename(directories.tmp(level), directories.committed(level));
        storage.syncDirectory(directories.root(level));
    }

    /** Undoes {@link #swapIn}, wherever it stopped. By renames only: a deletion could stop in the middle. */
    private void swapOut(Level level) throws IOException {
        unsettled.add(level);
        if (Files.exists(directories.committed(level)) && !Files.exists(directories.tmp(level))) {
            storage.rename(directories.committed(level), directories.tmp(level));
        }
        if (Files.exists(directories.replaced(level))) {
            storage.rename(directories.replaced(level), directories.committed(level));
        }
        unsettled.remove(level);
        storage.syncDirectory(directories.root(level));
    }

    /** Deletes what a committed checkpoint supersedes: the one it replaced and those of lower levels. Collective. */
    void discardSuperseded(Level level) throws IOException {
        Agreement.run(app, "deleting what the checkpoint committed at level " + level.number() + " supersedes", () -> {
            if (isMaster(level)) {
                discardReplaced(level);
            }
            deleteLower(level);
        });
    }

    /** Lets go of the checkpoint that was replaced: into the archive if level 4 is kept, otherwise for good. */
    private void discardReplaced(Level level) throws IOException {
        if (keepL4 && level == Level.L4) {
            archive(directories.replaced(level));
        }
        RunDirectory.delete(directories.replaced(level), storage);
    }

    /**
     * Moves the committed level-4 checkpoint to the archive; for the rank that {@link #isMaster}.
     *
     * @return whether there is an archive now
     */
    boolean archiveL4() throws IOException {
        archive(directories.committed(Level.L4));
        RunDirectory.delete(directories.committed(Level.L4), storage);
        return Files.exists(directories.archive());
    }

    private void archive(Path from) throws IOException {
        if (!Files.isDirectory(from)) {
            return;
        }
        RunDirectory.makeDirectory(directories.archive(), storage);
        RunDirectory.makeDirectory(directories.metaArchive(), storage);
        for (Path file : RunDirectory.entries(from)) {
            storage.rename(file, directories.archive().resolve(file.getFileName()));
        }
        storage.syncDirectory(directories.archive());
    }

    /**
     * Deletes the checkpoints of lower levels on this node, which the new one of {@code level} supersedes. Synced before and
     * after: a restart prefers lower levels, so neither these nor what they replaced may come back after a power loss.
     */
    private void deleteLower(Level level) throws IOException {
        if (!topology.isNodeMaster()) {
            return;
        }
        List<Path> lower = Stream.of(Level.values())
                .filter(each -> each.number() < level.number())
                .map(directories::committed)
                .filter(Files::exists)
                .toList();
        if (lower.isEmpty()) {
            return;
        }
        storage.syncDirectory(directories.local());
        for (Path directory : lower) {
            RunDirectory.delete(directory, storage);
        }
        storage.syncDirectory(directories.local());
    }

    /**
     * Brings a checkpoint that a kill left elsewhere into its place. By renames: nothing is deleted until {@link #clean}.
     * Collective.
     *
     * @param chosen for all ranks of a directory, where the checkpoint lies: {@code tmp}, the level's directory or the one aside
     */
    void settle(Level level, Slot chosen) throws IOException {
        Agreement.run(app, "settling level " + level.number(), () -> {
            if (isMaster(level)) {
                settleOnNode(level, chosen);
            }
        });
    }

    /** Deletes what an interrupted commit left besides the checkpoint in its place. Collective. */
    void clean(Level level) throws IOException {
        Agreement.run(app, "cleaning level " + level.number(), () -> {
            if (isMaster(level)) {
                RunDirectory.delete(directories.tmp(level), storage);
                discardReplaced(level);
            }
        });
    }

    private void settleOnNode(Level level, Slot chosen) throws IOException {
        switch (chosen) {
            case TMP -> swapIn(level);
            case COMMITTED -> {}
            case REPLACED -> {
                RunDirectory.delete(directories.tmp(level), storage);
                swapOut(level);
            }
        }
        unsettled.remove(level);
    }

    /** The places where a checkpoint of a level may be found after a kill, newest first. */
    enum Slot {
        /** Written, perhaps not whole, not committed. */
        TMP(0),
        /** In its place. */
        COMMITTED(1),
        /** Put aside for a newer one. */
        REPLACED(2);

        private final int age;

        Slot(int age) {
            this.age = age;
        }

        /** The more, the older is what is found there. */
        int age() {
            return age;
        }
    }

    Path directory(Level level, Slot slot) {
        return switch (slot) {
            case TMP -> directories.tmp(level);
            case COMMITTED -> directories.committed(level);
            case REPLACED -> directories.replaced(level);
        };
    }
}
