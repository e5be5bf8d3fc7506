package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints.Kept;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The archive of level 4: adds replaced checkpoints, and finds those that a run does not keep any longer
 * (docs/formats/fti-run-directory.md, section 13). For the rank that works on the directories of level 4.
 */
public final class Archive {

    /** Matches the name of each file of a checkpoint, whatever its mode; the group is the id. */
    public static final Pattern FILE = Pattern.compile("Ckpt(\\d{1,9})-.*");

    private static final Pattern METADATA = Pattern.compile("Ckpt_(\\d{1,9})");

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

    /** Returns the files and the directories of metadata of each archived checkpoint, the metadata first, by id. */
    public static Map<Integer, List<Path>> archived(RunDirectory directories) throws IOException {
        Map<Integer, List<Path>> found = new TreeMap<>();
        add(directories.metaArchive(), METADATA, found);
        add(directories.archive(), FILE, found);
        return found;
    }

    private static void add(Path directory, Pattern pattern, Map<Integer, List<Path>> found) throws IOException {
        for (Path entry : PathStatus.entries(directory)) {
            Matcher name = pattern.matcher(entry.getFileName().toString());
            if (name.matches()) {
                found.computeIfAbsent(Integer.valueOf(name.group(1)), id -> new ArrayList<>())
                        .add(entry);
            }
        }
    }

    /** Returns the ids of the checkpoints of level 4, archived or not. */
    static Set<Integer> ids(RunDirectory directories) throws IOException {
        Map<Integer, List<Path>> found = archived(directories);
        add(directories.committed(Level.L4), FILE, found);
        return found.keySet();
    }

    /** Returns the ids of the checkpoints that have files in a directory. */
    static Set<Integer> idsIn(Path directory) throws IOException {
        Map<Integer, List<Path>> found = new TreeMap<>();
        add(directory, FILE, found);
        return found.keySet();
    }

    /**
     * Returns what is to be deleted, in this order. If a kill interrupts the deletion, the next one finishes it.
     */
    List<Path> superfluous() throws IOException {
        if (kept.all()) {
            return List.of();
        }
        Map<Integer, List<Path>> archived = archived(directories);
        long current = bytes(PathStatus.entries(directories.committed(Level.L4)), kept);
        Judged judged = judge(archived, kept, current, order.readForDeletion(), storage);
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
    public static Judged judge(
            Map<Integer, List<Path>> archived,
            KeptCheckpoints kept,
            long current,
            CommitOrder order,
            StorageEngine storage)
            throws IOException {
        Map<Integer, Age> ages = new TreeMap<>();
        for (Map.Entry<Integer, List<Path>> each : archived.entrySet()) {
            ages.put(
                    each.getKey(),
                    order.age(each.getKey(), CheckpointIdentity.forDeletion(each.getKey(), each.getValue(), storage)));
        }
        List<Integer> unknown = CommitOrder.unknown(List.copyOf(archived.keySet()), ages::get);
        List<Integer> known = new ArrayList<>(archived.keySet());
        known.removeAll(unknown);
        List<Kept> newestFirst = new ArrayList<>();
        for (int id : CommitOrder.inOrder(known, ages::get)) {
            Age age = ages.getOrDefault(id, Age.UNKNOWN);
            newestFirst.add(new Kept(id, age.nanos(), bytes(archived.getOrDefault(id, List.of()), kept)));
        }
        List<Integer> superfluous = new ArrayList<>();
        kept.superfluous(newestFirst, current).forEach(each -> superfluous.add(each.ckptId()));
        if (kept.every().isZero() && CommitOrder.areOlder(kept.newest() - 1, known, ages::get)) {
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
