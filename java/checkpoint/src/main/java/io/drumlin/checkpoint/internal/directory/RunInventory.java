package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds which checkpoints a run has, by the names of their files and the log: in their places, in the archive of level 4 and
 * kept on nodes.
 */
public final class RunInventory {

    private static final List<Level> ON_NODES = List.of(Level.L1, Level.L2, Level.L3);

    private static final Pattern NAME_OF_KEPT = Pattern.compile(CheckpointEntry.KEPT + "l([1-3])-(\\d{1,9})");

    private final RunDirectory run;
    private final StorageEngine storage;
    private final CommitOrder order;
    private final boolean forDeletion;

    private RunInventory(RunDirectory run, StorageEngine storage, CommitOrder order, boolean forDeletion) {
        this.run = run;
        this.storage = storage;
        this.order = order;
        this.forDeletion = forDeletion;
    }

    /**
     * A kept checkpoint.
     *
     * @param path its directory
     */
    public record Kept(Level level, int ckptId, Path path) {

        /** Returns the name of its directory. */
        public String name() {
            return nameOfKept(level, ckptId);
        }
    }

    /** Returns the name of the directory of a kept checkpoint. */
    public static String nameOfKept(Level level, int ckptId) {
        return CheckpointEntry.KEPT + "l" + level.number() + "-" + ckptId;
    }

    /** Returns the kept checkpoints below a root, by their names. */
    public static List<Kept> keptIn(Path root) throws IOException {
        List<Kept> kept = new ArrayList<>();
        for (Path entry : PathStatus.entries(root)) {
            Matcher name = NAME_OF_KEPT.matcher(entry.getFileName().toString());
            if (name.matches() && PathStatus.isDirectory(entry)) {
                kept.add(new Kept(Level.of(Integer.parseInt(name.group(1))), Integer.parseInt(name.group(2)), entry));
            }
        }
        return kept;
    }

    /** Returns the files and the directories of metadata of each archived checkpoint, the metadata first, by id from the highest. */
    public static Map<Integer, List<Path>> archivePaths(RunDirectory directories) throws IOException {
        Map<Integer, List<Path>> found = new TreeMap<>(Comparator.reverseOrder());
        for (Path directory : PathStatus.entries(directories.metaArchive())) {
            FileNames.idOfArchived(directory).ifPresent(id -> found.put(id, new ArrayList<>(List.of(directory))));
        }
        addFiles(directories.archive(), found);
        return found;
    }

    private static void addFiles(Path directory, Map<Integer, List<Path>> found) throws IOException {
        for (Path file : PathStatus.entries(directory)) {
            FileNames.idOfAny(file).ifPresent(id -> found.computeIfAbsent(id, each -> new ArrayList<>())
                    .add(file));
        }
    }

    /** Returns the ids of the checkpoints of level 4, archived or not. */
    static Set<Integer> ids(RunDirectory directories) throws IOException {
        Map<Integer, List<Path>> found = archivePaths(directories);
        addFiles(directories.committed(Level.L4), found);
        return found.keySet();
    }

    /** Returns the ids of the checkpoints that have files in a directory. */
    public static Set<Integer> idsIn(Path directory) throws IOException {
        Map<Integer, List<Path>> found = new TreeMap<>();
        addFiles(directory, found);
        return found.keySet();
    }

    /** Reads the log of a run. */
    public static RunInventory of(RunDirectory run, StorageEngine storage) throws IOException {
        return new RunInventory(run, storage, new CommitOrder(run.commitLog()).read(), false);
    }

    /** Returns one for what may go, in which the age of what cannot be read now is unknown. */
    public static RunInventory forDeletion(RunDirectory run, StorageEngine storage, CommitOrder order) {
        return new RunInventory(run, storage, order, true);
    }

    /**
     * Returns all checkpoints, the newest first; those that the log does not have are in the order of a restart.
     *
     * @param nodes the directories of the run on nodes that this machine has
     */
    public List<CheckpointEntry> all(List<Path> nodes) throws IOException {
        List<CheckpointEntry> found = new ArrayList<>(inPlaces(nodes));
        add(Level.L4, "l4", List.of(run.global()), found);
        found.addAll(archived());
        found.addAll(kept(nodes));
        found.removeIf(each -> each.files().isEmpty());
        return CheckpointEntry.newestFirst(found);
    }

    private List<CheckpointEntry> inPlaces(List<Path> nodes) throws IOException {
        List<CheckpointEntry> found = new ArrayList<>();
        for (Level level : ON_NODES) {
            add(level, "l" + level.number(), nodes, found);
        }
        return CheckpointEntry.newestOfEach(found);
    }

    /** Returns what one node has of the checkpoints of levels 1 to 3. */
    public List<CheckpointEntry> ofNode() throws IOException {
        List<CheckpointEntry> found = new ArrayList<>(inPlaces(List.of(run.local())));
        found.addAll(kept(List.of(run.local())));
        found.removeIf(each -> each.files().isEmpty());
        return found;
    }

    private void add(Level level, String place, List<Path> roots, List<CheckpointEntry> found) throws IOException {
        for (Path root : roots) {
            Path directory = root.resolve(place);
            Map<Integer, List<Path>> byId = new TreeMap<>();
            addFiles(directory, byId);
            for (Map.Entry<Integer, List<Path>> each : byId.entrySet()) {
                Path metadata = run.meta().resolve(place);
                found.add(entry(each.getKey(), level, place, byDirectory(directory, each.getValue()), metadata));
            }
        }
    }

    private CheckpointEntry entry(int ckptId, Level level, String place, Map<Path, List<Path>> files, Path metadata)
            throws IOException {
        List<Path> paths = new ArrayList<>(List.of(metadata));
        files.forEach((directory, each) -> paths.addAll(directory.equals(metadata) ? List.of() : each));
        OptionalLong identity = identity(ckptId, paths);
        return new CheckpointEntry(ckptId, level, place, identity, order.age(ckptId, identity), files, metadata);
    }

    private OptionalLong identity(int ckptId, List<Path> paths) throws IOException {
        return forDeletion
                ? CheckpointIdentity.forDeletion(ckptId, paths, storage)
                : CheckpointIdentity.of(ckptId, paths, storage);
    }

    /**
     * Returns the checkpoints of the archive, the newest first; those that the log does not have are by their ids, from the
     * highest to the lowest. Of some there may be metadata only.
     */
    public List<CheckpointEntry> archived() throws IOException {
        List<CheckpointEntry> found = new ArrayList<>();
        for (Map.Entry<Integer, List<Path>> each : archivePaths(run).entrySet()) {
            List<Path> files = each.getValue().stream()
                    .filter(path -> FileNames.idOfAny(path).isPresent())
                    .toList();
            Path metadata = run.metaArchive().resolve(FileNames.archived(each.getKey()));
            Map<Path, List<Path>> byDirectory = byDirectory(run.archive(), files);
            found.add(entry(each.getKey(), Level.L4, CheckpointEntry.ARCHIVE, byDirectory, metadata));
        }
        return CheckpointEntry.newestFirst(found);
    }

    /** Returns the kept checkpoints of levels 1 to 3 below roots. Of one checkpoint not all directories may tell the age. */
    public List<CheckpointEntry> kept(List<Path> roots) throws IOException {
        List<CheckpointEntry> found = new ArrayList<>();
        for (Path root : roots) {
            for (Kept each : keptIn(root)) {
                String name = each.name();
                List<Path> files = PathStatus.entries(each.path()).stream()
                        .filter(file -> FileNames.idOfAny(file).isPresent())
                        .toList();
                // All ranks look for what may go, and each in its own directories only.
                Path metadata = forDeletion ? each.path() : run.meta().resolve(name);
                found.add(entry(each.ckptId(), each.level(), name, byDirectory(each.path(), files), metadata));
            }
        }
        return CheckpointEntry.newestOfEach(found);
    }

    private static Map<Path, List<Path>> byDirectory(Path directory, List<Path> files) {
        return files.isEmpty() ? Map.of() : Map.of(directory, files);
    }
}
