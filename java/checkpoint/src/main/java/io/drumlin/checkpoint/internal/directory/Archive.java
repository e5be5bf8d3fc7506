package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints.Kept;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The archive of level 4: adds replaced checkpoints, and finds those that a run does not keep any longer
 * (docs/formats/fti-run-directory.md, section 13). For the rank that works on the directories of level 4.
 */
public final class Archive {

    private final RunDirectory directories;
    private final StorageEngine storage;
    private final KeptCheckpoints kept;
    private final boolean metadata;
    private final CommitOrder order;

    /**
     * Describes the archive of a run.
     *
     * @param metadata whether the mode keeps metadata apart from the data
     */
    public Archive(RunDirectory directories, StorageEngine storage, KeptCheckpoints kept, boolean metadata) {
        this.directories = directories;
        this.storage = storage;
        this.kept = kept;
        this.metadata = metadata;
        order = new CommitOrder(directories.commitLog());
    }

    KeptCheckpoints kept() {
        return kept;
    }

    CommitOrder order() {
        return order;
    }

    /** Moves what a directory below a root has of a checkpoint to the archive, if it is one to be kept. */
    void add(Path root, Path from) throws IOException {
        if (!PathStatus.isDirectory(from) || (!kept.all() && PassedOver.isMarked(from))) {
            return;
        }
        DirectoryTree.make(directories.archive(), storage);
        DirectoryTree.make(directories.metaArchive(), storage);
        // If both directories are the same, metadata and data lie side by side.
        boolean hasMetadata = metadata && root.equals(directories.meta());
        if (hasMetadata) {
            addMetadata(from);
        }
        if (root.equals(directories.global())) {
            moveFiles(from, directories.archive(), file -> !hasMetadata || !MetadataFiles.isOne(file));
        }
    }

    private void addMetadata(Path from) throws IOException {
        // Differential checkpoints are not archived, because later checkpoints update their files.
        Optional<String> name = MetadataFiles.archiveName(from, storage);
        if (name.isPresent()) {
            Path archived = directories.metaArchive().resolve(name.get());
            DirectoryTree.make(archived, storage);
            boolean alone = !directories.meta().equals(directories.global());
            moveFiles(from, archived, file -> alone || MetadataFiles.isOne(file));
        }
    }

    /** A directory in the place of a file belongs to no checkpoint, and would keep a later file from its place. */
    private void moveFiles(Path from, Path to, Predicate<Path> which) throws IOException {
        for (Path file : PathStatus.entries(from)) {
            if (which.test(file) && !PathStatus.isDirectory(file) && !PassedOver.isMark(file)) {
                storage.rename(file, to.resolve(file.getFileName()));
            }
        }
        storage.syncDirectory(to);
    }

    /** Returns whether a directory of level 4 has the metadata of a differential checkpoint. */
    boolean isOfDifferential(Path ofMetadata) throws IOException {
        return PathStatus.isDirectory(ofMetadata)
                && !PathStatus.entries(ofMetadata).isEmpty()
                && MetadataFiles.archiveName(ofMetadata, storage).isEmpty();
    }

    /**
     * Returns what is to be deleted, in this order. If a kill interrupts the deletion, the next one finishes it.
     */
    List<Path> superfluous() throws IOException {
        if (kept.all()) {
            return List.of();
        }
        Map<Integer, List<Path>> archived = RunInventory.archivePaths(directories);
        long current = bytes(PathStatus.entries(directories.committed(Level.L4)), kept);
        RunInventory inventory = RunInventory.forDeletion(directories, storage, order.readForDeletion());
        Judged judged = judge(inventory.archived(), kept, current);
        order.tell(judged.unknown, directories.archive());
        return judged.superfluous.stream()
                .flatMap(id -> archived.getOrDefault(id, List.of()).stream())
                .toList();
    }

    /**
     * The archived checkpoints that do not stay.
     *
     * @param superfluous the ids of those that are not to be kept
     * @param unknown the ids of those of which nobody knows whether they are; they stay
     */
    public record Judged(List<Integer> superfluous, List<Integer> unknown) {}

    /**
     * Judges the checkpoints of an archive.
     *
     * @param archived those that count
     * @param current bytes of the checkpoint that is not in the archive
     */
    public static Judged judge(List<CheckpointEntry> archived, KeptCheckpoints kept, long current) throws IOException {
        List<CheckpointEntry> known = new ArrayList<>(archived);
        known.removeAll(CheckpointEntry.unknown(archived));
        List<Kept> newestFirst = new ArrayList<>();
        for (CheckpointEntry each : CheckpointEntry.newestFirst(known)) {
            newestFirst.add(new Kept(each.ckptId(), each.age().nanos(), bytes(each.paths(), kept)));
        }
        List<Integer> superfluous = new ArrayList<>();
        kept.superfluous(newestFirst, current).forEach(each -> superfluous.add(each.ckptId()));
        List<Integer> unknown = CheckpointEntry.unknown(archived).stream()
                .map(CheckpointEntry::ckptId)
                .sorted()
                .toList();
        if (kept.every().isZero() && CheckpointEntry.areOlder(kept.newest() - 1, known)) {
            superfluous.addAll(unknown);
            return new Judged(superfluous, List.of());
        }
        return new Judged(superfluous, unknown);
    }

    private static long bytes(List<Path> paths, KeptCheckpoints kept) throws IOException {
        long bytes = 0;
        for (Path path : kept.mostBytes() == 0 ? List.<Path>of() : paths) {
            BasicFileAttributes status = PathStatus.read(path);
            bytes += status.isDirectory() ? 0 : status.size();
        }
        return bytes;
    }
}
