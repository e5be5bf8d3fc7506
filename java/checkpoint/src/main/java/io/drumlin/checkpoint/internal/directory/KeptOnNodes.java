package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checkpoints of levels 1 to 3 that stay after others have taken their places. Each has a directory beside those of the
 * levels, on its nodes and in the directory of metadata, at which neither a restart nor C FTI looks
 * (docs/formats/fti-run-directory.md, section 17).
 */
public final class KeptOnNodes {

    private static final String KEPT = CheckpointEntry.KEPT;

    /** Prefix of what is being deleted. */
    private static final String DROPPED = "drumlin-dropped-";

    private KeptOnNodes() {}

    /**
     * Keeps a checkpoint that another one has replaced. A kept one of its id goes for it.
     *
     * @param from the directory with its files or metadata
     * @return whether it is kept; it is not if its id is not known, or a restart has found it damaged
     */
    static boolean keep(Path root, Level level, Path from, StorageEngine storage) throws IOException {
        OptionalInt ckptId = ckptId(from, storage);
        if (ckptId.isEmpty() || PassedOver.isMarked(from)) {
            return false;
        }
        Path to = root.resolve(RunInventory.nameOfKept(level, ckptId.getAsInt()));
        if (PathStatus.exists(to)) {
            DirectoryTree.delete(dropped(to, storage), storage);
        }
        storage.rename(from, to);
        storage.syncDirectory(root);
        return true;
    }

    /** Returns the id of the checkpoint in a directory; empty if it has several, or none. */
    private static OptionalInt ckptId(Path directory, StorageEngine storage) throws IOException {
        if (!PathStatus.isDirectory(directory)) {
            return OptionalInt.empty();
        }
        Set<Integer> ids = RunInventory.idsIn(directory);
        if (ids.isEmpty()) {
            return MetadataFiles.archiveName(directory, storage)
                    .map(name -> FileNames.idOfArchived(Path.of(name)))
                    .orElse(OptionalInt.empty());
        }
        return ids.size() == 1 ? OptionalInt.of(ids.iterator().next()) : OptionalInt.empty();
    }

    /**
     * Gives the directory of a checkpoint a name under which nobody finds it, because its deletion may be interrupted.
     *
     * @return the directory, whose name is durable
     */
    public static Path dropped(Path checkpoint, StorageEngine storage) throws IOException {
        String name = Objects.requireNonNull(checkpoint.getFileName()).toString();
        Path dropped =
                checkpoint.resolveSibling(DROPPED + (name.startsWith(KEPT) ? name.substring(KEPT.length()) : name));
        DirectoryTree.delete(dropped, storage);
        storage.rename(checkpoint, dropped);
        storage.syncDirectory(dropped.resolveSibling(""));
        return dropped;
    }

    /** Returns what interrupted deletions have left below a root. */
    public static List<Path> remains(Path root) throws IOException {
        return PathStatus.entries(root).stream()
                .filter(entry -> entry.getFileName().toString().startsWith(DROPPED))
                .toList();
    }

    /**
     * Returns those that do not stay.
     *
     * @param kept the kept checkpoints
     * @param rule how many of each level stay, the one in its place included
     * @param roots where checkpoints of levels may be in their place
     */
    public static List<CheckpointEntry> superfluous(List<CheckpointEntry> kept, KeptCheckpoints rule, List<Path> roots)
            throws IOException {
        List<CheckpointEntry> superfluous = new ArrayList<>();
        for (Level level : List.of(Level.L1, Level.L2, Level.L3)) {
            int current = 0;
            for (Path root : roots) {
                current |= PathStatus.exists(RunDirectory.committed(root, level)) ? 1 : 0;
            }
            List<CheckpointEntry> ofLevel =
                    kept.stream().filter(each -> each.level() == level).toList();
            superfluous.addAll(CheckpointEntry.beyond(Math.max(0, rule.onNodes(level) - current), ofLevel));
        }
        return superfluous;
    }

    /** Returns the names of those of unknown age, which stay. */
    public static List<String> unknown(List<CheckpointEntry> kept, List<CheckpointEntry> superfluous) {
        List<CheckpointEntry> unknown = new ArrayList<>(CheckpointEntry.unknown(kept));
        unknown.removeAll(superfluous);
        return unknown.stream().map(CheckpointEntry::place).toList();
    }

    /**
     * Gives those that do not stay another name. One rank decides for all, because the metadata and some nodes say what
     * others do not. Collective.
     *
     * @param roots the directories that belong to this rank's work
     * @return what is to be deleted below the roots
     */
    static List<Path> drop(
            Communicator app,
            List<Path> roots,
            KeptCheckpoints rule,
            CommitOrder order,
            RunDirectory run,
            StorageEngine storage)
            throws IOException {
        String operation = "looking for checkpoints that were kept";
        RunInventory here = RunInventory.forDeletion(run, storage, order);
        List<String> found =
                Agreement.gather(app, Agreement.call(app, operation, () -> CheckpointEntry.lines(here.kept(roots))));
        String names = Agreement.call(
                app, operation, () -> app.rank() == 0 ? names(String.join("\n", found), roots, rule, order, run) : "");
        List<String> agreed = List.of(Agreement.bcast(app, names, 0).split(" "));
        List<Path> dropped = new ArrayList<>();
        // The metadata last: in the modes that keep them apart they alone say how old the rest is.
        for (boolean ofMetadata : List.of(false, true)) {
            dropped.addAll(Agreement.call(app, operation, () -> drop(roots, agreed, ofMetadata, storage)));
        }
        return dropped.stream().distinct().toList();
    }

    private static List<Path> drop(List<Path> roots, List<String> names, boolean ofMetadata, StorageEngine storage)
            throws IOException {
        List<Path> dropped = new ArrayList<>();
        for (Path root : roots) {
            dropped.addAll(remains(root));
            for (RunInventory.Kept each : RunInventory.keptIn(root)) {
                if (names.contains(each.name())
                        && RunInventory.idsIn(each.path()).isEmpty() == ofMetadata) {
                    dropped.add(dropped(each.path(), storage));
                }
            }
        }
        return dropped;
    }

    /** Returns the names of those that do not stay, of what the ranks have found. */
    private static String names(
            String found, List<Path> roots, KeptCheckpoints rule, CommitOrder order, RunDirectory run)
            throws IOException {
        List<CheckpointEntry> kept =
                CheckpointEntry.newestOfEach(CheckpointEntry.parse(found, order.readForDeletion(), run.meta()));
        List<CheckpointEntry> superfluous = superfluous(kept, rule, roots);
        order.tell(unknown(kept, superfluous), roots.get(0));
        return superfluous.stream().map(CheckpointEntry::place).collect(Collectors.joining(" "));
    }

    /** Deletes everything that there is of kept checkpoints below a root. */
    static void deleteAll(Path root, StorageEngine storage) throws IOException {
        for (RunInventory.Kept each : RunInventory.keptIn(root)) {
            DirectoryTree.delete(dropped(each.path(), storage), storage);
        }
        for (Path each : remains(root)) {
            DirectoryTree.delete(each, storage);
        }
    }
}
